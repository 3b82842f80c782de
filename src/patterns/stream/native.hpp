// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

namespace tilestride {

/// What a native or library stream operation works on: arrays of n elements, and a single one for the sum of `dot`.
struct StreamArguments {
  std::string op;  ///< copy, scale, add, triad, dot
  void const* a;
  void const* b;
  void* c;
  void* sum;
  std::int64_t n;
};

}  // namespace tilestride
