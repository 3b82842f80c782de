// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

#include "portable/traits.hpp"

namespace tilestride {

/// What one team takes of a multiprocessor.
struct TeamUse {
  int threads;
  int registers;        ///< of 32 bits, of a thread; 0: not counted
  std::size_t scratch;  ///< bytes
};

/// How many teams fit a multiprocessor at once, `wanted` at the most: the number for LaunchBounds. Limits that are not
/// known (0) do not count.
template <class Exec>
constexpr int teams_that_fit(int wanted, TeamUse const& team) {
  using Has = Traits<Exec>;
  int const threads = (team.threads + Has::warp - 1) / Has::warp * Has::warp;
  int fit = wanted;
  if (Has::teams > 0 && fit > Has::teams) fit = Has::teams;
  if (Has::threads > 0 && fit > Has::threads / threads) fit = Has::threads / threads;
  if (Has::registers > 0 && team.registers > 0 && fit > Has::registers / (threads * team.registers))
    fit = Has::registers / (threads * team.registers);
  if (Has::scratch > 0 && team.scratch > 0 && fit > Has::scratch / static_cast<int>(team.scratch))
    fit = Has::scratch / static_cast<int>(team.scratch);
  return fit;
}

}  // namespace tilestride
