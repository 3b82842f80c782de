// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What the products in raw CUDA share. For sources of the CUDA compiler.

#include "cuda/instance.hpp"
#include "patterns/common/tiling.hpp"
#include "portable/dispatch.hpp"
#include "portable/native.hpp"

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

/// body(Tag<T>, std::integral_constant<int, Tile>) for the type and the tile of the case.
template <class Body>
NativeKernel with_product_tile(NativeContext const& context, int edge, Body&& body) {
  return with_type<float, double>(context.type, [&](auto type) {
    return with_int(ProductTiles{}, edge, [&](auto tile) { return body(type, tile); });
  });
}

/// Launches kernel(arguments...): one block per tile of C, which has `rows` x `columns` elements, and one thread per
/// element.
template <int Tile, class Kernel, class... Arguments>
NativeKernel launch_product(NativeContext const& context, std::int64_t rows, std::int64_t columns, Kernel kernel,
                            Arguments... arguments) {
  cudaStream_t const stream = stream_of(context.exec);
  auto const blocks = static_cast<unsigned>(Tiling<Tile>{rows, columns}.count());
  NativeKernel native;
  native.run = [=] {
    kernel<<<blocks, dim3(Tile, Tile), 0, stream>>>(arguments...);
    check(cudaGetLastError(), "a product");
  };
  return native;
}

}  // namespace tilestride::cuda
