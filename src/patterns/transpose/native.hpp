// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <utility>

#include "patterns/common/per_thread.hpp"
#include "portable/native.hpp"

namespace tilestride::transpose {

/// The edges of a tile in scratch that are built in.
using Tiles = std::integer_sequence<int, 8, 16, 32, 64>;

/// That of the tutorials' own kernels, which know no other.
constexpr int literal_tile = 32;

/// What a native or library transpose works on; both matrices are row-major and contiguous.
struct Arguments {
  void const* in;  ///< rows x cols
  void* out;       ///< cols x rows
  std::int64_t rows, cols;
  int tile;        ///< edge, one of Tiles; 0 where the variant has none
  bool marked;     ///< mark the tile in scratch (common/mark.hpp)
  int per_thread;  ///< elements, one of PerThreadCounts; 0 where the variant chooses itself
};

struct Launchers {
  Launcher<Arguments> copy = nullptr, row_read = nullptr, row_write = nullptr, tiled = nullptr, padded = nullptr,
                      dynamic = nullptr, literal_row_read = nullptr, literal_row_write = nullptr,
                      literal_tiled = nullptr, literal_padded = nullptr, vendor = nullptr;
  static Launchers on_device();
  static Launchers on_host();
};

}  // namespace tilestride::transpose
