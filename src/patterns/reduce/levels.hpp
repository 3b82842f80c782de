// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Teams cannot wait for one another within a launch, so a sum takes several: each team leaves one partial sum, and the
// next launch sums those. An atomic addition per team would save a launch, need another to clear the sum, give another
// result each time for inputs that round, and queue up where one element per thread makes teams by the ten thousand.

#include <algorithm>
#include <cstdint>

#include "patterns/common/resident.hpp"

namespace tilestride::reduce {

constexpr int team_threads = 256;  ///< of a team on a device

/// Teams that are to be resident where each thread holds much, on what holds so many threads.
constexpr int resident_teams(int resident_threads) { return three_quarters_resident(resident_threads, team_threads); }

/// Where the partial sums of one level end and those of the next begin: on a boundary of 128 bytes or more, so that
/// they can be read 16 bytes at a time.
constexpr std::int64_t end_of_level(std::int64_t teams) { return (teams + 31) / 32 * 32; }

/// Calls level(from, n, to, teams), which leaves the sum of n values as one value per team, until there is one in
/// `sum`. A team has `chunk` values or more to sum, and no launch has more than `most_teams` teams.
template <class T, class Level>
void by_levels(T const* in, std::int64_t n, T* partials, T* sum, std::int64_t chunk, std::int64_t most_teams,
               Level const& level) {
  T const* from = in;
  std::int64_t teams = std::min(most_teams, (n + chunk - 1) / chunk);
  while (teams > 1) {
    level(from, n, partials, teams);
    from = partials;
    n = teams;
    partials += end_of_level(teams);
    teams = std::min(most_teams, (n + chunk - 1) / chunk);
  }
  level(from, n, sum, std::int64_t{1});
}

/// Partial sums of all levels, for chunks of team_threads values or more.
constexpr std::int64_t partials_of(std::int64_t n) {
  std::int64_t room = 0;
  while (n > 1) {
    n = (n + team_threads - 1) / team_threads;
    room += end_of_level(n);
  }
  return room;
}

}  // namespace tilestride::reduce
