// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <utility>

#include "portable/native.hpp"

namespace tilestride::occupancy {

using LiveCounts = std::integer_sequence<int, 8, 16, 32, 64, 128>;
constexpr int steps_together = 4;  ///< in one piece of code, so that what is spilled in its loop is a known share
using TeamSizes = std::integer_sequence<int, 32, 64, 128, 256, 512, 1024>;

/// What a native kernel of many live values works on.
struct Arguments {
  void const* in;      ///< a value for each item
  void* out;           ///< a sum for each item
  std::int64_t items;  ///< whole blocks
  int team;            ///< threads of a block, one of TeamSizes
  int live;            ///< values per thread, one of LiveCounts
  int steps;
  double scale, add;
};

struct Launchers {
  Launcher<Arguments> unrolled = nullptr, maxnreg = nullptr, shared_spill = nullptr;
  static Launchers on_device();
  static Launchers on_host() { return {}; }
};

}  // namespace tilestride::occupancy
