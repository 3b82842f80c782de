// SPDX-License-Identifier: BSD-3-Clause
// C = A B of TF32, summed in f32, on Hopper's matrix units, turned as tensor_tf32.hpp says. Blocks are as in
// tensor_bf16.cu, each multiplying warpgroup with 64 columns of the tile of C.
#include "cuda/tensor_launchers.hpp"
#include "cuda/tensor_tf32.hpp"

namespace tilestride::matmul {
namespace {

using namespace cuda;

template <int m, int n, int resident, int down, int across, bool streams, bool divides>
using Tf32Tile = TensorStage<float, m, n, resident, down, across, streams, divides>;

template <class Stage>
using Tf32Threads = TensorThreads<Stage, Stage::n / 64>;

template <class Stage>
__global__ void __launch_bounds__(Tf32Threads<Stage>::all, Stage::resident)
    tensor_tf32(__grid_constant__ CUtensorMap const a, __grid_constant__ CUtensorMap const b, float* __restrict__ c,
                __grid_constant__ TensorProblem const p) {
  extern __shared__ __align__(1024) unsigned char shared[];
  auto& ring = *reinterpret_cast<TensorRing<Stage>*>(shared);
  TensorBlock<Stage> const block(p);
  block.init(ring, Tf32Threads<Stage>::multiply / 32, a, b);
  int const group = threadIdx.x / 128;

  if (group == Stage::n / 64) {
    Tf32Threads<Stage>::release_registers();
    if (threadIdx.x % 128 < 32 && hopper::elected()) block.fill(ring, a, b);
    return;
  }

  Tf32Threads<Stage>::claim_registers();
  constexpr int sums = Stage::m / 2;  // of a thread
  typename TensorRing<Stage>::At at;
  TurnedColumns const own(threadIdx.x % 128);
  block.for_each_piece([&](TensorPiece const& piece) {
    float d[sums];
    block.template begin<Tf32Threads<Stage>::multiply, sums>(d, piece);
    hopper::settle(d);
    int previous = 0;
    for (int s = piece.first; s < piece.last; ++s, at.advance()) {
      Stage const& from = ring.filled(at);
      std::uint64_t const right = hopper::operand(from.a, 16, 8 * 128);
#pragma unroll
      for (int half = 0; half < 2; ++half) {  // one is loaded while the units work on the other
        std::uint32_t x[2][4];
#pragma unroll
        for (int i = 0; i < 2; ++i) own.load(x[i], from.b + group * 2, 2 * half + i);
        hopper::fence();
#pragma unroll
        for (int i = 0; i < 2; ++i) hopper::multiply_tf32(d, x[i], hopper::further(right, (2 * half + i) * 32));
        hopper::commit();
        hopper::wait_products<1>();  // those of the half before
        if (half == 0 && s > piece.first) block.release(ring, previous);
      }
      previous = at.stage;
    }
    hopper::wait_products<0>();
    hopper::settle(d);
    block.release(ring, previous);

    int const top = block.corner(piece.group).x, left = block.corner(piece.group).y;
    block.template finish<Tf32Threads<Stage>::multiply, sums>(
        d, piece, [&](int i, float const* part) { own.store(part, i, c, top, left + group * 64, p.m, p.n); });
  });
}

template <int m, int n, int resident, int down = 1, int across = 1>
TensorKernel<float> tf32_kernel() {
  using Whole = Tf32Tile<m, n, resident, down, across, false, false>;
  using Divided = Tf32Tile<m, n, resident, down, across, false, true>;
  using Streamed = Tf32Tile<m, n, resident, down, across, true, false>;
  return tensor_kernel<Whole>(tensor_tf32<Whole>, tensor_tf32<Divided>, tensor_tf32<Streamed>, Tf32Threads<Whole>::all);
}

}  // namespace

NativeKernel launch_tensor_tf32(NativeContext const& context, Arguments const& p) {
  static std::vector const kernels{
      tf32_kernel<192, 192, 1, 2, 1>(), tf32_kernel<256, 128, 1>(),       tf32_kernel<256, 128, 1, 1, 2>(),
      tf32_kernel<160, 192, 1>(),       tf32_kernel<224, 128, 1>(),       tf32_kernel<224, 128, 1, 1, 2>(),
      tf32_kernel<128, 192, 1>(),       tf32_kernel<128, 192, 1, 2, 1>(), tf32_kernel<176, 128, 1>(),
      tf32_kernel<144, 128, 1>(),       tf32_kernel<256, 64, 1>(),        tf32_kernel<128, 128, 1>(),
      tf32_kernel<128, 128, 1, 1, 2>(), tf32_kernel<128, 128, 1, 2, 1>(), tf32_kernel<128, 128, 1, 2, 2>(),
      tf32_kernel<112, 128, 1>(),       tf32_kernel<192, 64, 1>(),        tf32_kernel<128, 64, 1>(),
      tf32_kernel<64, 128, 1>(),        tf32_kernel<96, 64, 2>(),         tf32_kernel<64, 64, 1>(),
      tf32_kernel<64, 64, 2>()};
  static TensorCosts const costs = [] {
    TensorCosts c{1020, 56, 1500};
    c.least_step[0] = 100, c.least_step[1] = 200, c.least_step[2] = 250, c.of_many = 1.13;
    return c;
  }();
  return launcher_of(context, p, kernels, costs, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4);
}

}  // namespace tilestride::matmul
