// SPDX-License-Identifier: BSD-3-Clause
// C = A B of f32 on Hopper's matrix units, which multiply TF32. Each element is split into two of those, x = high +
// low, and of the four products of pieces three are made: low low would be below f32's last bit.
//
// Blocks are as in tensor_tf32.cu, but wider, so that less of A has to be split: Bt is read into registers and split
// there; A is split where it lies in shared memory, by warps that do nothing else. The units cut off when they add, by
// up to a unit in the last place of the sum each time: K / 8 times three would be far outside of what rounding in f32
// explains. So they only add up a stage, the small products first, and plain additions do the rest.
#include "cuda/split.hpp"
#include "cuda/tensor_launchers.hpp"
#include "cuda/tensor_tf32.hpp"

namespace tilestride::matmul {
namespace {

using namespace cuda;

template <int m, int n>
using Stage3x = TensorStage<float, m, n, 1, 1, 1, false>;

constexpr int splitters = 64;  // threads

template <class Stage>
struct Shared {
  static constexpr int stages = (shared_memory_of(1) - 1024) / int(sizeof(Stage) + sizeof(Stage::a));
  hopper::Ring<Stage, stages> ring;
  alignas(1024) float a_low[stages][Stage::m][Stage::k];  ///< in the order of Stage::a, which keeps the high pieces
  hopper::Barrier split[stages];                          ///< A is split

  /// The loop of the threads that split A.
  __device__ void split_stages(TensorBlock<Stage> const& block, int thread) {
    hopper::Place<stages> at;
    block.for_each_piece([&](TensorPiece const& piece) {
      for (int s = piece.last - piece.first; s > 0; --s, at.advance()) {
        ring.filled(at);
        auto* const high = reinterpret_cast<uint4*>(ring.stage[at.stage].a);
        auto* const low = reinterpret_cast<uint4*>(a_low[at.stage]);
#pragma unroll 1
        for (int i = thread; i < Stage::m * Stage::k / 4; i += 4 * splitters) {
          uint4 x[4];
#pragma unroll
          for (int j = 0; j < 4; ++j) x[j] = high[i + j * splitters];
#pragma unroll
          for (int j = 0; j < 4; ++j) {
            uint4 rest;
            cuda::split(x[j].x, rest.x), cuda::split(x[j].y, rest.y);
            cuda::split(x[j].z, rest.z), cuda::split(x[j].w, rest.w);
            high[i + j * splitters] = x[j];
            low[i + j * splitters] = rest;
          }
        }
        hopper::publish_writes();
        __syncwarp();
        if (thread % 32 == 0) hopper::arrive(split[at.stage]);
      }
    });
  }
};

template <class Stage>
using Threads3x = TensorThreads<Stage, 2, true, 40>;

template <class Stage>
__global__ void __launch_bounds__(Threads3x<Stage>::all, 1)
    tensor_3xtf32(__grid_constant__ CUtensorMap const a, __grid_constant__ CUtensorMap const b, float* __restrict__ c,
                  __grid_constant__ TensorProblem const p) {
  extern __shared__ __align__(1024) unsigned char memory[];
  auto& shared = *reinterpret_cast<Shared<Stage>*>(memory);
  if (threadIdx.x < Shared<Stage>::stages) hopper::init(shared.split[threadIdx.x], splitters / 32);
  TensorBlock<Stage> const block(p);
  block.init(shared.ring, 8, a, b);
  int const group = threadIdx.x / 128, thread = threadIdx.x % 128;

  if (group == 2) {
    Threads3x<Stage>::release_registers();
    if (thread < 32 && hopper::elected()) block.fill(shared.ring, a, b);
    if (thread >= 128 - splitters) shared.split_stages(block, thread - (128 - splitters));
    return;
  }

  Threads3x<Stage>::claim_registers();
  constexpr int halves = Stage::n / 128, sums = Stage::m / 2;  // of a thread
  hopper::Place<Shared<Stage>::stages> at;
  TurnedColumns const own(thread);
  float d[sums] = {};
  block.for_each_piece([&](TensorPiece const& piece) {
    float sum[halves][sums];  // of 64 columns each
    block.template begin<Threads3x<Stage>::multiply, halves * sums>(&sum[0][0], piece);
    for (int s = piece.last - piece.first; s > 0; --s, at.advance()) {
      Stage const& from = shared.ring.filled(at);
      hopper::wait(shared.split[at.stage], at.parity);
      std::uint64_t const a_high = hopper::operand(from.a, 16, 8 * 128);
      std::uint64_t const a_low = hopper::operand(shared.a_low[at.stage], 16, 8 * 128);
#pragma unroll
      for (int half = 0; half < halves; ++half) {
        std::uint32_t high[4][4], low[4][4];  // pieces of B
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          own.load(high[i], from.b + (halves * group + half) * 2, i);
#pragma unroll
          for (int j = 0; j < 4; ++j) split(high[i][j], low[i][j]);
        }
        hopper::fence();
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          hopper::multiply_tf32(d, high[i], hopper::further(a_low, i * 32), i > 0);
          hopper::multiply_tf32(d, low[i], hopper::further(a_high, i * 32));
        }
#pragma unroll
        for (int i = 0; i < 4; ++i) hopper::multiply_tf32(d, high[i], hopper::further(a_high, i * 32));
        hopper::commit();
        hopper::wait_products<0>();  // the units have the other warpgroup's meanwhile
        hopper::settle(d);
        if (half == halves - 1) block.release(shared.ring, at.stage);
#pragma unroll
        for (int i = 0; i < sums; ++i) sum[half][i] += d[i];
      }
    }
    int const top = block.corner(piece.group).x, left = block.corner(piece.group).y;
    block.template finish<Threads3x<Stage>::multiply, halves * sums>(&sum[0][0], piece, [&](int i, float const* part) {
      constexpr int parts = sums / 8;  // in 64 columns
      own.store(part, i % parts, c, top, left + (halves * group + i / parts) * 64, p.m, p.n);
    });
  });
}

template <int m, int n>
TensorKernel<float> kernel_3x() {
  using Stage = Stage3x<m, n>;
  return tensor_kernel<Stage, Shared<Stage>>(tensor_3xtf32<Stage>, Threads3x<Stage>::all);
}

}  // namespace

NativeKernel launch_tensor_3xtf32(NativeContext const& context, Arguments const& p) {
  static std::vector const kernels{kernel_3x<128, 256>(), kernel_3x<128, 128>(), kernel_3x<64, 128>()};
  return launcher_of(context, p, kernels, {337, 466, 2430}, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4);
}

}  // namespace tilestride::matmul
