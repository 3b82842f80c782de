// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What the products in raw CUDA share. For sources of the CUDA compiler.

#include "cuda/instance.hpp"
#include "harness/choices.hpp"
#include "harness/native.hpp"
#include "patterns/tiling.hpp"

namespace tilestride::cuda {

/// The first row and column of a block's tile of C. Blocks are counted in one dimension, the only one that is long
/// enough for any matrix.
template <int Tile>
struct Place {
  std::int64_t row, col;
  __device__ explicit Place(std::int64_t columns) {
    unsigned const across = (columns + Tile - 1) / Tile;
    row = std::int64_t(blockIdx.x / across) * Tile;
    col = std::int64_t(blockIdx.x % across) * Tile;
  }
};

/// An argument of a launcher as a kernel for T takes it.
template <class T>
T const* typed(void const* p) {
  return static_cast<T const*>(p);
}
template <class T>
T* typed(void* p) {
  return static_cast<T*>(p);
}
template <class T>
std::int64_t typed(std::int64_t n) {
  return n;
}

/// Launches Kernels::kernel<Tile, T>(), for the tile and the type of the case: one block a tile of C, which has `rows`
/// x `columns` elements, and one thread an element.
template <class Kernels, class... Arguments>
NativeKernel launch_product(NativeContext const& context, std::int64_t rows, std::int64_t columns,
                            Arguments... arguments) {
  return with_type<float, double>(context.type, [&](auto type) {
    return with_int(ProductTiles{}, context.planned->integer("tile"), [&](auto tile) {
      using T = typename decltype(type)::type;
      constexpr int Tile = decltype(tile)::value;
      cudaStream_t const stream = stream_of(context.exec);
      auto const blocks = static_cast<unsigned>(Tiling<Tile>{rows, columns}.count());
      auto const kernel = Kernels::template kernel<Tile, T>();
      NativeKernel native;
      native.run = [=] {
        kernel<<<blocks, dim3(Tile, Tile), 0, stream>>>(typed<T>(arguments)...);
        check(cudaGetLastError(), "a product");
      };
      return native;
    });
  });
}

}  // namespace tilestride::cuda
