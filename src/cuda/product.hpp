// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What the products in raw CUDA share. For sources of the CUDA compiler.

#include "harness/native.hpp"
#include "patterns/product_tiles.hpp"

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
NativeKernel with_product_tile(NativeContext const& context, Body&& body) {
  return with_type<float, double>(context.type, [&](auto type) {
    return with_int(ProductTiles{}, context.planned->integer("tile"), [&](auto tile) { return body(type, tile); });
  });
}

}  // namespace tilestride::cuda
