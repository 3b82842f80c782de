// SPDX-License-Identifier: BSD-3-Clause
// C = A B of TF32, summed in f32, on Hopper's matrix units. Of 32-bit types these read only K-major operands from
// shared memory, and the rows of B run along N. So the product is turned, Ct = Bt At: Bt is read into registers, At is
// A as it lies in memory. Blocks are as in tensor_bf16.cu, each multiplying warpgroup with 64 columns of a 256 x 128
// tile of C.
#include "cuda/tensor.hpp"
#include "cuda/tensor_launchers.hpp"

namespace tilestride::matmul {
namespace {

using namespace cuda;

constexpr int tile_m = 256, tile_n = 128;
using Stage = TensorStage<float, tile_m, tile_n>;
using Ring = TensorRing<Stage>;

/// Which column of B each row of the units' 64-row operand is. Any order will do for the product; this one has a lane's
/// two rows next to each other in memory, one load of 8 bytes, and half a warp's loads in different banks: its lanes
/// lie in chunks of 16 bytes whose numbers differ in bit 2, and the swizzle has the four rows of B, lanes % 4, differ
/// in bits 0 and 1.
struct Columns {
  int box;     ///< of 32 columns
  int column;  ///< in the box, the first of two
  int near;    ///< bytes from the box's row 8 i to the two columns in row 8 i + lane % 4
  int far;     ///< … in row 8 i + lane % 4 + 4

  __device__ explicit Columns(int thread) {
    int const warp = thread / 32, lane = thread % 32, g = lane / 4, k = lane % 4;
    box = warp / 2;
    column = (g & 1) * 2 + (g >> 2) * 4 + (warp & 1) * 8 + (g >> 1 & 1) * 16;
    near = k * 128 + ((column / 4) ^ k) * 16 + (g & 1) * 8;
    far = (near ^ 4 * 16) + 4 * 128;
  }
};

__global__ void __launch_bounds__(384, 1)
    tensor_tf32(__grid_constant__ CUtensorMap const a, __grid_constant__ CUtensorMap const b, float* __restrict__ c,
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
  Columns const own(threadIdx.x);
  for (int t = blockIdx.x; t < tiles.count(); t += gridDim.x) {
    int2 const tile = tiles[t];
    float d[128] = {};
    int previous = 0;
    for (int s = 0; s < steps; ++s, at.advance()) {
      Stage const& from = ring.filled(at);
      auto const* const left = reinterpret_cast<unsigned char const*>(from.b[own.box]);
      std::uint64_t const right = hopper::operand(from.a, 16, 8 * 128);
#pragma unroll
      for (int half = 0; half < 2; ++half) {  // one is loaded while the units work on the other
        std::uint32_t x[2][4];
#pragma unroll
        for (int i = 0; i < 2; ++i) {
          uint2 const near = *reinterpret_cast<uint2 const*>(left + (2 * half + i) * 8 * 128 + own.near);
          uint2 const far = *reinterpret_cast<uint2 const*>(left + (2 * half + i) * 8 * 128 + own.far);
          x[i][0] = near.x, x[i][1] = near.y, x[i][2] = far.x, x[i][3] = far.y;
        }
        hopper::fence();
#pragma unroll
        for (int i = 0; i < 2; ++i) hopper::multiply_tf32(d, x[i], hopper::further(right, (2 * half + i) * 32));
        hopper::commit();
        hopper::wait_products<1>();  // those of the half before
        if (half == 0 && s > 0) ring.release(previous);
      }
      previous = at.stage;
    }
    hopper::wait_products<0>();
    ring.release(previous);

    int const row = tile.x * tile_m + threadIdx.x % 4 * 2;
    int const column = tile.y * tile_n + own.box * 32 + own.column;
    if (column < n) {
#pragma unroll
      for (int j = 0; j < 32; ++j) {
#pragma unroll
        for (int h = 0; h < 2; ++h) {
          float* const to = c + std::int64_t(row + 8 * j + h) * n + column;
          if (row + 8 * j + h < m) *reinterpret_cast<float2*>(to) = {d[4 * j + h], d[4 * j + 2 + h]};
        }
      }
    }
  }
}

}  // namespace

NativeKernel launch_tensor_tf32(NativeContext const& context, Arguments const& p) {
  return launcher_of<Stage>(context, p, tensor_tf32, 384, CU_TENSOR_MAP_DATA_TYPE_FLOAT32);
}

}  // namespace tilestride::matmul
