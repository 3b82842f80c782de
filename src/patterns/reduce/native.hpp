// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace tilestride {

/// What a native or library sum works on.
struct ReduceArguments {
  void const* in;  ///< n elements
  void* work;      ///< as many, rounded up to a whole number of teams
  void* partials;  ///< room for the partial sums of all levels
  void* sum;       ///< one element
  std::int64_t n;
  std::int64_t teams;  ///< that fill the device
};

}  // namespace tilestride
