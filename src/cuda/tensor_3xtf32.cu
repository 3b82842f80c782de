// SPDX-License-Identifier: BSD-3-Clause
// C = A B of f32 on Hopper's matrix units, which multiply TF32. Each element is split into two of those, x = high +
// low, and of the four products of pieces three are made: low low would be below f32's last bit.
//
// Blocks are as in tensor_tf32.cu, but half as high and twice as wide: Bt is read into registers and split there; A is
// split where it lies in shared memory, by warps that do nothing else. The units cut off when they add, by up to a unit
// in the last place of the sum each time: K / 8 times three would be far outside of what rounding in f32 explains. So
// they only add up a stage, the small products first, and plain additions do the rest.
#include "cuda/split.hpp"
#include "cuda/tensor_launchers.hpp"
#include "cuda/tensor_tf32.hpp"

namespace tilestride::matmul {
namespace {

using namespace cuda;

using Stage = TensorStage<float, 128, 256>;
constexpr int stages = 3;

struct Shared {
  hopper::Ring<Stage, stages> ring;
  alignas(1024) float a_low[stages][Stage::m][Stage::k];  ///< in the order of Stage::a, which keeps the high pieces
  hopper::Barrier split[stages];                          ///< A is split
};

constexpr int splitters = 64;  // threads

/// The loop of the threads that split A: all steps of each tile of this block.
__device__ void split_stages(Shared& shared, int thread, TensorTiles tiles, int steps) {
  hopper::Place<stages> at;
  for (int t = blockIdx.x; t < tiles.count(); t += gridDim.x) {
    for (int s = 0; s < steps; ++s, at.advance()) {
      shared.ring.filled(at);
      auto* const a = reinterpret_cast<uint4*>(shared.ring.stage[at.stage].a);
      auto* const a_low = reinterpret_cast<uint4*>(shared.a_low[at.stage]);
#pragma unroll 1
      for (int i = thread; i < Stage::m * Stage::k / 4; i += 4 * splitters) {
        uint4 x[4];
#pragma unroll
        for (int j = 0; j < 4; ++j) x[j] = a[i + j * splitters];
#pragma unroll
        for (int j = 0; j < 4; ++j) {
          uint4 low;
          split(x[j].x, low.x), split(x[j].y, low.y), split(x[j].z, low.z), split(x[j].w, low.w);
          a[i + j * splitters] = x[j];
          a_low[i + j * splitters] = low;
        }
      }
      hopper::publish_writes();
      __syncwarp();
      if (thread % 32 == 0) hopper::arrive(shared.split[at.stage]);
    }
  }
}

__global__ void __launch_bounds__(384, 1)
    tensor_3xtf32(__grid_constant__ CUtensorMap const a, __grid_constant__ CUtensorMap const b, float* __restrict__ c,
                  int m, int n, int k) {
  extern __shared__ __align__(1024) unsigned char memory[];
  Shared& shared = *reinterpret_cast<Shared*>(memory);
  if (threadIdx.x < stages) hopper::init(shared.split[threadIdx.x], splitters / 32);
  shared.ring.init(8);
  TensorTiles const tiles = tiles_of<Stage>(m, n);
  int const group = threadIdx.x / 128, thread = threadIdx.x % 128;

  if (group == 2) {
    hopper::release_registers<40>();
    int const steps = divided_up(k, Stage::k);
    if (thread == 0) fill_stages(shared.ring, a, b, tiles, steps);
    if (thread >= 128 - splitters) split_stages(shared, thread - (128 - splitters), tiles, steps);
    return;
  }

  hopper::claim_registers<232>();
  hopper::Place<stages> at;
  TurnedColumns const own(thread);
  float d[64] = {};
  for (int t = blockIdx.x; t < tiles.count(); t += gridDim.x) {
    float sum[2][64] = {};  // of 64 columns each
    for (int s = 0; s < k; s += Stage::k, at.advance()) {
      Stage const& from = shared.ring.filled(at);
      hopper::wait(shared.split[at.stage], at.parity);
      std::uint64_t const a_high = hopper::operand(from.a, 16, 8 * 128);
      std::uint64_t const a_low = hopper::operand(shared.a_low[at.stage], 16, 8 * 128);
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        std::uint32_t high[4][4], low[4][4];  // pieces of B
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          own.load(high[i], from.b + (2 * group + half) * 2, i);
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
        if (half == 1) shared.ring.release(at.stage);
#pragma unroll
        for (int i = 0; i < 64; ++i) sum[half][i] += d[i];
      }
    }
    int2 const tile = tiles[t];
#pragma unroll
    for (int half = 0; half < 2; ++half)
      own.store(sum[half], c, tile.x * Stage::m, tile.y * Stage::n + (2 * group + half) * 64, m, n);
  }
}

}  // namespace

NativeKernel launch_tensor_3xtf32(NativeContext const& context, Arguments const& p) {
  return launcher_of<Stage, Shared>(context, p, tensor_3xtf32, 384, CU_TENSOR_MAP_DATA_TYPE_FLOAT32);
}

}  // namespace tilestride::matmul
