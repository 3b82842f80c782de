// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

namespace tilestride {

/// What a native loop of fences works on.
struct FencesArguments {
  std::string op;
  bool stores;                ///< before each op, every thread stores a word of its own
  int threads;                ///< of the one block
  int steps;                  ///< ops that each thread does
  std::int32_t const* zeros;  ///< what loads find
  std::int32_t* stored;       ///< a word for each thread
  std::int32_t* out;          ///< likewise: what it counted
  std::int64_t* cycles;       ///< of all steps, by the multiprocessor's own clock
};

}  // namespace tilestride
