// SPDX-License-Identifier: BSD-3-Clause
// C = A B of TF32, summed in f32, on Hopper's matrix units, turned as tensor_tf32.hpp says. Blocks are as in
// tensor_bf16.cu, each multiplying warpgroup with 64 columns of a 256 x 128 tile of C.
#include "cuda/tensor_launchers.hpp"
#include "cuda/tensor_tf32.hpp"

namespace tilestride::matmul {
namespace {

using namespace cuda;

constexpr int tile_m = 256, tile_n = 128;
using Stage = TensorStage<float, tile_m, tile_n>;
using Ring = TensorRing<Stage>;

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
  TurnedColumns const own(threadIdx.x % 128);
  for (int t = blockIdx.x; t < tiles.count(); t += gridDim.x) {
    int2 const tile = tiles[t];
    float d[128] = {};
    int previous = 0;
    for (int s = 0; s < steps; ++s, at.advance()) {
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
        if (half == 0 && s > 0) ring.release(previous);
      }
      previous = at.stage;
    }
    hopper::wait_products<0>();
    ring.release(previous);

    own.store(d, c, tile.x * tile_m, tile.y * tile_n + group * 64, m, n);
  }
}

}  // namespace

NativeKernel launch_tensor_tf32(NativeContext const& context, Arguments const& p) {
  return launcher_of<Stage>(context, p, tensor_tf32, 384, CU_TENSOR_MAP_DATA_TYPE_FLOAT32);
}

}  // namespace tilestride::matmul
