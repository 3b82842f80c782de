// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace tilestride {

/// What a native strided copy works on: n elements, each `stride` behind the one before it, `per_thread` to a
/// thread.
struct StrideCopyArguments {
  void const* in;
  void* out;
  std::int64_t n, stride;
  int per_thread;
};

}  // namespace tilestride
