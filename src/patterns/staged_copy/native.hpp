// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "portable/native.hpp"

namespace tilestride::staged_copy {

/// What a native staged copy works on: arrays of n elements; a block has `team` threads, and scratch for
/// `per_thread` elements of each.
struct Arguments {
  void const* in;
  void* out;
  std::int64_t n;
  int team, per_thread;
  bool marked;  ///< mark scratch (common/mark.hpp)
};

struct Launchers {
  Launcher<Arguments> static_array = nullptr, dynamic = nullptr, async = nullptr;
  static Launchers on_device();
  static Launchers on_host() { return {}; }
};

}  // namespace tilestride::staged_copy
