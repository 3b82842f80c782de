// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "portable/native.hpp"

namespace tilestride::shuffle {

/// What a native exchange works on.
struct Arguments {
  std::string op;
  int width;  ///< lanes of a group
  int steps;  ///< exchanges, of which each waits for the last
  void* out;  ///< an element per lane of a warp: what it got from its last exchange
};

struct Launchers {
  Launcher<Arguments> by_shuffle = nullptr, through_scratch = nullptr, vendor = nullptr;
  static Launchers on_device();
  static Launchers on_host() { return {}; }
};

}  // namespace tilestride::shuffle
