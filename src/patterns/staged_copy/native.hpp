// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace tilestride {

/// What a native staged copy works on: arrays of n elements, `team` of them through the scratch of one block.
struct StagedCopyArguments {
  void const* in;
  void* out;
  std::int64_t n;
  int team;
};

}  // namespace tilestride
