// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <utility>

#include "patterns/common/resident.hpp"
#include "portable/native.hpp"

namespace tilestride::stencil {

using Radii = std::integer_sequence<int, 1, 2, 4, 8, 16>;
constexpr int most_rows = 32;      ///< of coefficients
constexpr int team_threads = 256;  ///< of a team on a device
constexpr int points = 4;          ///< outputs per thread of a device, one team's width apart
constexpr int chunk = team_threads * points;

/// Teams that are to be resident on a multiprocessor for so many threads.
constexpr int resident_teams(int resident_threads) { return three_quarters_resident(resident_threads, team_threads); }

/// What a native stencil works on.
struct Arguments {
  void const* in;            ///< n + 2 radius elements
  void const* coefficients;  ///< distinct x (2 radius + 1)
  void* out;                 ///< n elements
  std::int64_t n;
  int radius, distinct;
};

struct Launchers {
  Launcher<Arguments> global = nullptr, read_only = nullptr, scratch = nullptr, constant = nullptr;
  static Launchers on_device();
  static Launchers on_host() { return {}; }
};

}  // namespace tilestride::stencil
