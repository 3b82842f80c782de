// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "portable/native.hpp"

namespace tilestride::fences {

/// What a native loop of fences works on.
struct Arguments {
  std::string op;
  bool stores;                ///< before each op, every thread stores a word of its own
  int threads;                ///< of the one block
  int steps;                  ///< ops that each thread does
  std::int32_t const* zeros;  ///< what loads find
  std::int32_t* stored;       ///< a word per thread
  std::int32_t* out;          ///< likewise: what it counted
};

struct Launchers {
  Launcher<Arguments> loop = nullptr;
  static Launchers on_device();
  static Launchers on_host() { return {}; }
};

}  // namespace tilestride::fences
