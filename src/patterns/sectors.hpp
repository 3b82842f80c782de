// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What the loads and stores of a GPU's warps cost in global memory: a request of a warp is served in whole sectors of
// 32 bytes, each as often as warps ask for it. (Since compute capability 6.0; before, a request was served in segments
// of 128 bytes where the L1 cache took part.) No Kokkos here.

#include <cstdint>

#include "patterns/warp.hpp"

namespace tilestride {

constexpr int sector_bytes = 32;

/// How teams walk over an array that begins at a sector: thread t of team b asks for element
/// offset + (b·team + t)·stride. With `every` = 2 it is every second thread, the others idle or ask for the same.
struct Walk {
  std::int64_t size;  ///< bytes of an element: a power of two up to 32, so that none lies in two sectors
  std::int64_t team;  ///< threads
  std::int64_t offset = 0;
  std::int64_t stride = 1;
  std::int64_t every = 1;
};

constexpr std::int64_t warps_of(std::int64_t team) { return (team + warp_lanes - 1) / warp_lanes; }

/// Sectors of the request of one warp of so many threads, whose first asks for element `first`.
constexpr std::int64_t sectors_of_request(Walk const& walk, std::int64_t first, std::int64_t lanes) {
  std::int64_t const asking = (lanes + walk.every - 1) / walk.every;
  std::int64_t const step = walk.stride * walk.every;
  if (step >= sector_bytes / walk.size) return asking;  // each in a sector of its own
  std::int64_t const last = first + (asking - 1) * step;
  return last * walk.size / sector_bytes - first * walk.size / sector_bytes + 1;
}

/// The mean over the warps of all teams. The warps of one team begin at the same place within a sector, since 32
/// elements are whole sectors; what that place is for team b repeats after at most 32 teams.
constexpr double sectors_per_request(Walk const& walk) {
  std::int64_t const whole = walk.team / warp_lanes, rest = walk.team % warp_lanes;
  std::int64_t const shift = walk.team % 32 * (walk.stride % 32);  // from team to team
  std::int64_t sectors = 0;
  for (std::int64_t b = 0; b < 32; ++b) {
    std::int64_t const first = (walk.offset + b * shift) % 32;
    sectors += whole * sectors_of_request(walk, first, warp_lanes);
    if (rest > 0) sectors += sectors_of_request(walk, first, rest);
  }
  return static_cast<double>(sectors) / static_cast<double>(32 * warps_of(walk.team));
}

/// The same for each thread, whether it asks or not.
constexpr double sectors_per_thread(Walk const& walk) {
  return sectors_per_request(walk) * static_cast<double>(warps_of(walk.team)) / static_cast<double>(walk.team);
}

}  // namespace tilestride
