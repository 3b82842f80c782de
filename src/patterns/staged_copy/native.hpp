// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace tilestride {

/// What a native staged copy works on: arrays of n elements; a block has `team` threads, and scratch for
/// `per_thread` elements of each.
struct StagedCopyArguments {
  void const* in;
  void* out;
  std::int64_t n;
  int team, per_thread;
};

}  // namespace tilestride
