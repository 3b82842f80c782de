// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace tilestride {

/// What a native tile access works on.
struct TileAccessArguments {
  void* out;                         ///< an element a thread
  int width, height, pad;            ///< of the tile, elements
  bool store_columns, load_columns;  ///< neighbouring threads have neighbours of a column, not of a row
  int repeat;
};

}  // namespace tilestride
