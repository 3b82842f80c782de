// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace tilestride {

/// What a native offset copy works on: n elements at `offset` in both arrays, in blocks of `team` threads.
struct OffsetCopyArguments {
  void const* in;
  void* out;
  std::int64_t n, offset;
  int team;
};

}  // namespace tilestride
