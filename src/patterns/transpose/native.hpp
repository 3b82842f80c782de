// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <utility>

namespace tilestride {

/// The edges of a tile in scratch that are built in.
using TransposeTiles = std::integer_sequence<int, 8, 16, 32, 64>;

/// What a native or library transpose works on; both matrices are row-major and contiguous.
struct TransposeArguments {
  void const* in;  ///< rows x cols
  void* out;       ///< cols x rows
  std::int64_t rows, cols;
};

}  // namespace tilestride
