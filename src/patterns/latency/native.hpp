// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "portable/native.hpp"

namespace tilestride::latency {

/// 128 bytes that hold which line of the cycle comes next: a cache line of a GPU, two of most hosts.
struct alignas(128) Line {
  Line const* next;
  std::uint32_t next_line;   ///< the number of that line
  std::uint32_t next_word;   ///< the number of the 4-byte word in which that line has its own next_word
  std::uint32_t unused[28];  ///< 0
};

constexpr std::uint32_t words_of_line = sizeof(Line) / 4;
constexpr std::uint32_t next_word_at = 3;  ///< of a line's words

/// Where a chase stands: each run goes on from where the last one ended.
struct Chase {
  std::uint32_t line;  ///< the number of the line
  std::int64_t steps;  ///< done since the start, line 0
};

/// What a native chase works on.
struct Arguments {
  Line const* lines;  ///< begin at a multiple of 512 bytes
  std::int64_t count;
  std::int64_t steps;  ///< of one run
  Chase* chase;
};

struct Launchers {
  Launcher<Arguments> registers = nullptr, global = nullptr, read_only = nullptr, shared = nullptr, cluster = nullptr,
                      constant = nullptr, local = nullptr, texture = nullptr, peer = nullptr;
  static Launchers on_device();
  static Launchers on_host() { return {}; }
};

}  // namespace tilestride::latency
