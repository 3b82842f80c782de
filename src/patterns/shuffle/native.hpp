// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

namespace tilestride {

/// What a native exchange works on.
struct ShuffleArguments {
  std::string op;
  int width;             ///< lanes of a group
  int steps;             ///< exchanges, of which each waits for the last
  void* out;             ///< 32 elements: what each lane got from its last exchange
  std::int64_t* cycles;  ///< of all steps, by the multiprocessor's own clock
};

}  // namespace tilestride
