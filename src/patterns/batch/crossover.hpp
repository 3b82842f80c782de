// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The number of chunks from which one way of sending them is faster.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace tilestride::batch {

/// Two ways to send as many chunks, in seconds.
struct Race {
  std::int64_t chunks;
  double contender, champion;
};

/// The smallest number of chunks from which the contender is faster, there and at every larger number of the run.
inline std::optional<std::int64_t> wins_from(std::vector<Race> races) {
  std::sort(races.begin(), races.end(), [](Race const& a, Race const& b) { return a.chunks > b.chunks; });
  std::optional<std::int64_t> from;
  for (Race const& race : races) {
    if (!(race.contender < race.champion)) break;
    from = race.chunks;
  }
  return from;
}

}  // namespace tilestride::batch
