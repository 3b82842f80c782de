// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "portable/native.hpp"

namespace tilestride::stride_copy {

constexpr int team_threads = 256;  ///< of a team, whatever the case

/// What a native strided copy works on: n elements, each `stride` behind the one before it, `per_thread` of them per
/// thread.
struct Arguments {
  void const* in;
  void* out;
  std::int64_t n, stride;
  int per_thread;
};

struct Launchers {
  Launcher<Arguments> stride = nullptr;
  static Launchers on_device();
  static Launchers on_host() { return {}; }
};

}  // namespace tilestride::stride_copy
