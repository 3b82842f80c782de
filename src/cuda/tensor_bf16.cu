// SPDX-License-Identifier: BSD-3-Clause
// C = A B of bf16, summed in f32, on Hopper's matrix units, which read both operands from shared memory. A block is
// three warpgroups: a thread of the third asks the copy engine for A and B, four stages ahead; each of the others
// multiplies 64 rows of the tile of C and holds them in 128 registers a thread.
#include "cuda/native.hpp"
#include "cuda/tensor.hpp"

namespace tilestride::cuda {
namespace {

constexpr int tile_m = 128, tile_n = 256, tile_k = 64;

struct Stage {
  std::uint16_t a[tile_m][tile_k];           // one box
  std::uint16_t b[tile_n / 64][tile_k][64];  // four boxes
};
using Ring = hopper::Ring<Stage, 4>;

__global__ void __launch_bounds__(384, 1)
    tensor_bf16(__grid_constant__ CUtensorMap const a, __grid_constant__ CUtensorMap const b, float* __restrict__ c,
                int m, int n, int k) {
  extern __shared__ __align__(1024) unsigned char shared[];
  Ring& ring = *reinterpret_cast<Ring*>(shared);
  ring.init(8);
  TensorTiles const tiles{divided_up(m, tile_m), divided_up(n, tile_n)};
  int const steps = divided_up(k, tile_k);
  int const group = threadIdx.x / 128;
  Ring::At at;

  if (group == 2) {
    hopper::release_registers<24>();
    if (threadIdx.x % 128 != 0) return;
    for (int t = blockIdx.x; t < tiles.count(); t += gridDim.x) {
      int2 const tile = tiles[t];
      for (int s = 0; s < steps; ++s, at.advance()) {
        Stage& to = ring.claim(at);
        hopper::copy_box(to.a, a, s * tile_k, tile.x * tile_m, ring.full[at.stage]);
        for (int i = 0; i < tile_n / 64; ++i)
          hopper::copy_box(to.b[i], b, tile.y * tile_n + i * 64, s * tile_k, ring.full[at.stage]);
      }
    }
    return;
  }

  hopper::claim_registers<240>();
  for (int t = blockIdx.x; t < tiles.count(); t += gridDim.x) {
    int2 const tile = tiles[t];
    float d[128] = {};
    int previous = 0;
    for (int s = 0; s < steps; ++s, at.advance()) {
      Stage const& from = ring.filled(at);
      std::uint64_t const left = hopper::operand(from.a[group * 64], 16, 8 * 128);
      std::uint64_t const right = hopper::operand(from.b, tile_k * 128, 8 * 128);
      hopper::fence();
#pragma unroll
      for (int i = 0; i < tile_k / 16; ++i)
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

NativeKernel matmul_tensor_bf16(NativeContext const& context, MatmulArguments const& p) {
  if (std::string const reason = why_no_tensor(p, 2); !reason.empty()) return none(reason);
  auto const type = CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
  return launcher_of<float>(context, tensor_bf16, 384, sizeof(Ring), {divided_up(p.m, tile_m), divided_up(p.n, tile_n)},
                            hopper::boxes_of(p.a, type, 2, p.m, p.k, tile_m),
                            hopper::boxes_of(p.b, type, 2, p.k, p.n, tile_k), p);
}

}  // namespace tilestride::cuda
