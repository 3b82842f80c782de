// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <utility>

namespace tilestride {

using LiveCounts = std::integer_sequence<int, 8, 16, 32, 64, 128>;
using TeamSizes = std::integer_sequence<int, 32, 64, 128, 256, 512, 1024>;

/// What a native kernel of many live values works on.
struct OccupancyArguments {
  void const* in;
  void* out;
  std::int64_t items;
  int live;
  int steps;
  double scale, add;
};

}  // namespace tilestride
