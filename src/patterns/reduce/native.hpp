// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "portable/native.hpp"

namespace tilestride::reduce {

/// What a native or library sum works on.
struct Arguments {
  void const* in;  ///< n elements
  void* work;      ///< as many, rounded up to a whole number of teams
  void* partials;  ///< room for the partial sums of all levels
  void* sum;       ///< one element
  std::int64_t n;
  std::int64_t teams;  ///< that fill the device
};

struct Launchers {
  Launcher<Arguments> global = nullptr, dynamic = nullptr, unrolled = nullptr, shuffle = nullptr, cluster = nullptr,
                      interleaved = nullptr, halving = nullptr, vendor = nullptr;
  static Launchers on_device();
  static Launchers on_host() { return {}; }
};

}  // namespace tilestride::reduce
