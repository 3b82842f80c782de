// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "portable/native.hpp"

namespace tilestride::launch {

/// What a thread does; see problem.hpp.
enum class Op { nothing, load, copy, exchange };

/// What a native league works on.
struct Arguments {
  Op op;
  std::int32_t const* in;
  std::int32_t* out;
  std::int32_t* last;
  std::int64_t threads;  ///< in whole teams
  int team;
};

struct Launchers {
  Launcher<Arguments> teams = nullptr;
  static Launchers on_device();
  static Launchers on_host() { return {}; }
};

}  // namespace tilestride::launch
