// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "portable/native.hpp"

namespace tilestride::tile_access {

/// What a native tile access works on.
struct Arguments {
  void* out;                         ///< an element per thread
  int width, height, pad;            ///< of the tile, elements
  bool store_columns, load_columns;  ///< neighbouring threads have neighbours of a column, not of a row
  int repeat;
  int shift;  ///< thread i stores where thread i + shift would
};

struct Launchers {
  Launcher<Arguments> static_tile = nullptr, dynamic_tile = nullptr;
  static Launchers on_device();
  static Launchers on_host() { return {}; }
};

}  // namespace tilestride::tile_access
