// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "portable/native.hpp"

namespace tilestride::offset_copy {

/// What a native offset copy works on: n elements at `offset` in both arrays, in blocks of `team` threads with
/// `per_thread` elements each.
struct Arguments {
  void const* in;
  void* out;
  std::int64_t n, offset;
  int team, per_thread;
};

struct Launchers {
  Launcher<Arguments> offset = nullptr, past_l1 = nullptr;
  static Launchers on_device();
  static Launchers on_host() { return {}; }
};

}  // namespace tilestride::offset_copy
