// SPDX-License-Identifier: BSD-3-Clause
// C = A B of bf16, summed in f32, on Hopper's matrix units, which read both operands from shared memory. A thread of a
// block's last warp starts the copies (TMA) of A and B, as many stages ahead as fit; the other warps make warpgroups,
// each of which multiplies 64 rows of the tile of C and holds them in registers.
#include "cuda/tensor_launch.hpp"
#include "cuda/tensor_launchers.hpp"

namespace tilestride::matmul {
namespace {

using namespace cuda;

template <int m, int n, int resident, int down, int across>
using Bf16Tile = TensorStage<std::uint16_t, m, n, resident, down, across>;

template <class Stage>
using Bf16Threads = TensorThreads<Stage, Stage::m / 64>;

template <class Stage>
__global__ void __launch_bounds__(Bf16Threads<Stage>::all, Stage::resident)
    tensor_bf16(__grid_constant__ CUtensorMap const a, __grid_constant__ CUtensorMap const b, float* __restrict__ c,
                __grid_constant__ TensorProblem const p) {
  extern __shared__ __align__(1024) unsigned char shared[];
  auto& ring = *reinterpret_cast<TensorRing<Stage>*>(shared);
  TensorBlock<Stage> const block(p);
  block.init(ring, Bf16Threads<Stage>::multiply / 32, a, b);
  int const group = threadIdx.x / 128;

  if (group == Stage::m / 64) {
    Bf16Threads<Stage>::release_registers();
    if (threadIdx.x % 128 == 0) block.fill(ring, a, b);
    return;
  }

  Bf16Threads<Stage>::claim_registers();
  constexpr int sums = Stage::n / 2;  // of a thread
  typename TensorRing<Stage>::At at;
  block.for_each_piece([&](TensorPiece const& piece) {
    float d[sums];
    block.template begin<Bf16Threads<Stage>::multiply, sums>(d, piece);
    hopper::settle(d);
    int previous = 0;
    for (int s = piece.first; s < piece.last; ++s, at.advance()) {
      Stage const& from = ring.filled(at);
      std::uint64_t const left_operand = hopper::operand(from.a[group * 64], 16, 8 * 128);
      std::uint64_t const right_operand = hopper::operand(from.b, Stage::k * 128, 8 * 128);
      hopper::fence();
#pragma unroll
      for (int i = 0; i < Stage::k / 16; ++i)
        hopper::multiply_bf16(d, hopper::further(left_operand, i * 32), hopper::further(right_operand, i * 16 * 128));
      hopper::commit();
      hopper::wait_products<1>();  // those of the stage before
      if (s > piece.first) block.release(ring, previous);
      previous = at.stage;
    }
    hopper::wait_products<0>();
    hopper::settle(d);
    block.release(ring, previous);

    int const top = block.corner(piece.group).x, left = block.corner(piece.group).y;
    int const q = threadIdx.x % 4, row = top + threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4;
    block.template finish<Bf16Threads<Stage>::multiply, sums>(d, ring, piece, [&](int i, float const* x) {
      // Lanes with even q take the next two columns of the first eight, those with odd q the two before of the second.
      int const odd = q % 2, column = left + 16 * i + odd * 8 + q / 2 * 4;
#pragma unroll
      for (int h = 0; h < 2; ++h) {
        float const* const give = x + 2 * h;
        float const u = __shfl_xor_sync(~0u, odd ? give[0] : give[4], 1);
        float const v = __shfl_xor_sync(~0u, odd ? give[1] : give[5], 1);
        float4 const four = odd ? float4{u, v, give[4], give[5]} : float4{give[0], give[1], u, v};
        if (row + 8 * h < p.m && column < p.n)
          *reinterpret_cast<float4*>(c + std::int64_t(row + 8 * h) * p.n + column) = four;
      }
    });
  });
  block.leave();
}

template <int m, int n, int resident, int down = 1, int across = 1>
TensorKernel<float> bf16_kernel() {
  using Stage = Bf16Tile<m, n, resident, down, across>;
  return tensor_kernel<Stage>(tensor_bf16<Stage>, Bf16Threads<Stage>::all);
}

}  // namespace

NativeKernel launch_tensor_bf16(NativeContext const& context, Arguments const& p) {
  static std::vector const kernels{
      bf16_kernel<256, 128, 1, 1, 2>(), bf16_kernel<192, 192, 1>(),       bf16_kernel<192, 192, 1, 2, 1>(),
      bf16_kernel<192, 128, 1>(),       bf16_kernel<192, 128, 1, 1, 2>(), bf16_kernel<128, 128, 2>(),
      bf16_kernel<64, 128, 3>(),        bf16_kernel<64, 64, 4>(),         bf16_kernel<128, 256, 1, 2, 1>(),
      bf16_kernel<128, 224, 1, 2, 1>(), bf16_kernel<192, 176, 1, 2, 1>(), bf16_kernel<192, 160, 1, 2, 1>(),
      bf16_kernel<192, 96, 1>(),        bf16_kernel<128, 128, 2, 2, 2>(), bf16_kernel<64, 128, 3, 2, 1>(),
      bf16_kernel<64, 128, 3, 4, 1>(),  bf16_kernel<192, 128, 1, 4, 1>(), bf16_kernel<128, 192, 1, 4, 1>(),
      bf16_kernel<128, 192, 1, 2, 2>(), bf16_kernel<192, 144, 1, 2, 2>(), bf16_kernel<128, 144, 1, 2, 2>(),
      bf16_kernel<128, 144, 1, 4, 1>(), bf16_kernel<192, 192, 1, 2, 2>()};
  return launcher_of(context, p, kernels, {1900, 10, 590, 1.02}, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2);
}

}  // namespace tilestride::matmul
