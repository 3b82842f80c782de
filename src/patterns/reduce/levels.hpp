// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Teams cannot wait for one another within a launch, so a sum takes several: each team leaves one partial sum, and the
// next launch sums those. An atomic addition a team would save a launch, need another to clear the sum, give another
// result each time for inputs that round, and queue up where one element a thread makes teams by the ten thousand.

#include <algorithm>
#include <cstdint>

namespace tilestride {

constexpr int reduce_threads = 256;  ///< of a team on a device; eight of them fill a multiprocessor's 2048
constexpr int resident_teams = 6;    ///< of those eight, where a thread holds much: it may then have 40 registers

/// Where the partial sums of one level end and those of the next begin: on the boundary of a cache line, so that they
/// can be read 16 bytes at a time.
constexpr std::int64_t end_of_level(std::int64_t teams) { return (teams + 31) / 32 * 32; }

/// Calls level(from, n, to, teams), which leaves the sum of n values as one value a team, until there is one in `sum`.
/// A team has `chunk` values or more to sum, and no launch has more than `most_teams` teams.
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

/// Partial sums of all levels, for chunks of reduce_threads values or more.
constexpr std::int64_t partials_of(std::int64_t n) {
  std::int64_t room = 0;
  while (n > 1) {
    n = (n + reduce_threads - 1) / reduce_threads;
    room += end_of_level(n);
  }
  return room;
}

}  // namespace tilestride
