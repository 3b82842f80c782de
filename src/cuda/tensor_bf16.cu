// SPDX-License-Identifier: BSD-3-Clause
// C = A B of bf16, summed in f32, on Hopper's matrix units, which read both operands from shared memory. A block is
// three warpgroups: a thread of the third starts the copies (TMA) of A and B, four stages ahead; each of the others
// multiplies 64 rows of the tile of C and holds them in 128 registers per thread.
#include "cuda/tensor.hpp"
#include "cuda/tensor_launchers.hpp"

namespace tilestride::matmul {
namespace {

using namespace cuda;

constexpr int tile_m = 128, tile_n = 256;
using Stage = TensorStage<std::uint16_t, tile_m, tile_n>;
using Ring = TensorRing<Stage>;

__global__ void __launch_bounds__(384, 1)
    tensor_bf16(__grid_constant__ CUtensorMap const a, __grid_constant__ CUtensorMap const b, float* __restrict__ c,
                int m, int n, int k) {
  extern __shared__ __align__(1024) unsigned char shared[];
  Ring& ring = *reinterpret_cast<Ring*>(shared);
  ring.init(8);
  TensorTiles const tiles = tiles_of<Stage>(m, n);
  int const steps = divided_up(k, Stage::k);
  int const group = threadIdx.x / 128;

  if (group == 2) {
    hopper::release_registers<24>();
    if (threadIdx.x % 128 == 0) fill_stages(ring, a, b, tiles, steps);
    return;
  }

  hopper::claim_registers<240>();
  Ring::At at;
  for (int t = blockIdx.x; t < tiles.count(); t += gridDim.x) {
    int2 const tile = tiles[t];
    float d[128] = {};
    int previous = 0;
    for (int s = 0; s < steps; ++s, at.advance()) {
      Stage const& from = ring.filled(at);
      std::uint64_t const left = hopper::operand(from.a[group * 64], 16, 8 * 128);
      std::uint64_t const right = hopper::operand(from.b, Stage::k * 128, 8 * 128);
      hopper::fence();
#pragma unroll
      for (int i = 0; i < Stage::k / 16; ++i)
        hopper::multiply_bf16(d, hopper::further(left, i * 32), hopper::further(right, i * 16 * 128));
      hopper::commit();
      hopper::wait_products<1>();  // those of the stage before
      if (s > 0) ring.release(previous);
      previous = at.stage;
    }
    hopper::wait_products<0>();
    ring.release(previous);

    int const row = tile.x * tile_m + threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4;
    int const column = tile.y * tile_n + threadIdx.x % 4 * 2;
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      if (row + 8 * h < m) {
        float* const to = c + std::int64_t(row + 8 * h) * n + column;
#pragma unroll
        for (int j = 0; j < 32; ++j) {
          if (column + 8 * j < n) *reinterpret_cast<float2*>(to + 8 * j) = {d[4 * j + 2 * h], d[4 * j + 2 * h + 1]};
        }
      }
    }
  }
}

}  // namespace

NativeKernel launch_tensor_bf16(NativeContext const& context, Arguments const& p) {
  return launcher_of<Stage>(context, p, tensor_bf16, 384, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16);
}

}  // namespace tilestride::matmul
