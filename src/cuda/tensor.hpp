// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What the products on Hopper's matrix units share: the order of the tiles, the stages in shared memory and how they
// are filled, and the launch of one persistent block per multiprocessor.

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "cuda/hopper.hpp"
#include "cuda/instance.hpp"
#include "patterns/matmul/native.hpp"
#include "portable/native.hpp"

namespace tilestride::cuda {

/// Tiles of C, counted in bands of eight rows of tiles, column by column: those that are under way at the same time
/// then share rows of A and columns of B in L2.
struct TensorTiles {
  static constexpr int band = 8;
  int down, across;

  __host__ __device__ int count() const { return down * across; }
  /// Which row of tiles (x) and which column of them (y).
  __device__ int2 operator[](int tile) const {
    int const first = tile / (band * across) * band;
    int const height = min(band, down - first);
    int const inside = tile % (band * across);
    return {first + inside % height, inside / height};
  }
};

__host__ __device__ inline int divided_up(std::int64_t n, int by) { return static_cast<int>((n + by - 1) / by); }

/// What one step of a tile of C takes: m rows of A and n columns of B, of both as many of the K elements as make 128
/// bytes.
template <class T, int rows, int columns>
struct TensorStage {
  using Element = T;
  static constexpr int m = rows, n = columns, k = 128 / int(sizeof(T));
  T a[m][k];         // one box
  T b[n / k][k][k];  // a box for every k columns
};
template <class Stage>
using TensorRing = hopper::Ring<Stage, 4>;

template <class Stage>
__host__ __device__ TensorTiles tiles_of(std::int64_t m, std::int64_t n) {
  return {divided_up(m, Stage::m), divided_up(n, Stage::n)};
}

/// The loop of the thread that starts the copies into the stages: all steps of each tile of this block.
template <class Stage, int stages>
__device__ void fill_stages(hopper::Ring<Stage, stages>& ring, CUtensorMap const& a, CUtensorMap const& b,
                            TensorTiles tiles, int steps) {
  hopper::Place<stages> at;
  for (int t = blockIdx.x; t < tiles.count(); t += gridDim.x) {
    int2 const tile = tiles[t];
    for (int s = 0; s < steps; ++s, at.advance()) {
      Stage& to = ring.claim(at);
      hopper::copy_box(to.a, a, s * Stage::k, tile.x * Stage::m, ring.full[at.stage]);
      for (int i = 0; i < Stage::n / Stage::k; ++i)
        hopper::copy_box(to.b[i], b, tile.y * Stage::n + i * Stage::k, s * Stage::k, ring.full[at.stage]);
    }
  }
}

/// Why Hopper's units cannot make this product.
inline std::optional<Skip> why_no_tensor(void const* exec, matmul::Arguments const& p, int element) {
  int const major = attribute_of(exec, cudaDevAttrComputeCapabilityMajor);
  int const minor = attribute_of(exec, cudaDevAttrComputeCapabilityMinor);
  if (major != 9 || minor != 0)
    return Skip{SkipReason::hardware,
                fmt::format("built for compute capability 9.0 alone; this device has {}.{}", major, minor)};
  if (p.k * element % 16 != 0 || p.n * element % 16 != 0)
    return Skip{SkipReason::not_applicable,
                fmt::format("the copy engine needs rows of whole 16 bytes: K and N in multiples of {}", 16 / element)};
  if (std::max({p.m, p.n, p.k}) > std::numeric_limits<int>::max() - 256)
    return Skip{SkipReason::limit, "the copy engine counts rows and columns in 32 bits"};
  return {};
}

template <class T>
using TensorProduct = void (*)(CUtensorMap, CUtensorMap, T*, int, int, int);

/// `product` works on stages of A and B, whose elements the copy engine calls `type`, in a `Shared`.
template <class Stage, class Shared = TensorRing<Stage>, class T>
NativeKernel launcher_of(NativeContext const& context, matmul::Arguments const& p, TensorProduct<T> product,
                         int threads, CUtensorMapDataType type) {
  constexpr int element = sizeof(typename Stage::Element), shared = sizeof(Shared);
  if (auto const skip = why_no_tensor(context.exec, p, element)) return {skip};
  check(cudaFuncSetAttribute(product, cudaFuncAttributeMaxDynamicSharedMemorySize, shared), "cudaFuncSetAttribute");
  cudaStream_t const stream = stream_of(context.exec);
  int const multiprocessors = attribute_of(context.exec, cudaDevAttrMultiProcessorCount);
  int const blocks = std::min(multiprocessors, tiles_of<Stage>(p.m, p.n).count());
  NativeKernel native;
  native.run = [=, a = hopper::boxes_of(p.a, type, element, p.m, p.k, Stage::m),
                b = hopper::boxes_of(p.b, type, element, p.k, p.n, Stage::k)] {
    product<<<blocks, threads, shared, stream>>>(a, b, static_cast<T*>(p.c), static_cast<int>(p.m),
                                                 static_cast<int>(p.n), static_cast<int>(p.k));
    check(cudaGetLastError(), "a product on matrix units");
  };
  return native;
}

}  // namespace tilestride::cuda
