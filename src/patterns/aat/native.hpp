// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "portable/native.hpp"

namespace tilestride::aat {

/// What a native or library product A·Aᵀ works on: both matrices are row-major and contiguous.
struct Arguments {
  void const* a;  ///< M x K
  void* c;        ///< M x M
  std::int64_t m, k;
  int tile;  ///< edge, one of ProductTiles; 0 where the variant has none
};

struct Launchers {
  Launcher<Arguments> simple = nullptr, row_tile = nullptr, coalesced = nullptr, padded = nullptr, vendor = nullptr;
  static Launchers on_device();
  static Launchers on_host();
};

}  // namespace tilestride::aat
