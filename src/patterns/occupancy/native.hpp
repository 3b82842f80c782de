// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace tilestride {

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
