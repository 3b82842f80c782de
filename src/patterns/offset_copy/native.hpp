// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace tilestride {

/// What a native offset copy works on: n elements at `offset` in both arrays, in blocks of `team` threads with
/// `per_thread` elements each.
struct OffsetCopyArguments {
  void const* in;
  void* out;
  std::int64_t n, offset;
  int team, per_thread;
};

}  // namespace tilestride
