// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What the loads and stores of a GPU's warps cost in global memory: a request of a warp is served in whole sectors (32
// bytes since compute capability 6.0), each as often as warps ask for it. No Kokkos here.

#include <cstdint>

#include "model/hardware.hpp"

namespace tilestride {

/// How teams walk over an array that begins at a sector: thread t of team b asks for element
/// offset + (b·team + t)·stride. With `every` = 2 it is every second thread, the others idle or ask for the same.
struct Walk {
  std::int64_t size;  ///< bytes of an element: a power of two up to a sector, so that none lies in two
  std::int64_t team;  ///< threads
  std::int64_t offset = 0;
  std::int64_t stride = 1;
  std::int64_t every = 1;
};

/// Whether the device's warps and sectors are known: what follows needs them.
constexpr bool has_sectors(Hardware const& device) { return device.warp > 0 && device.sector > 0; }

constexpr std::int64_t warps_of(std::int64_t team, Hardware const& device) {
  return (team + device.warp - 1) / device.warp;
}

/// Sectors of the request of one warp of so many threads, whose first asks for element `first`.
constexpr std::int64_t sectors_of_request(Walk const& walk, std::int64_t first, std::int64_t lanes,
                                          std::int64_t sector) {
  std::int64_t const asking = (lanes + walk.every - 1) / walk.every;
  std::int64_t const step = walk.stride * walk.every;
  if (step >= sector / walk.size) return asking;  // each in a sector of its own
  std::int64_t const last = first + (asking - 1) * step;
  return last * walk.size / sector - first * walk.size / sector + 1;
}

/// The mean over the warps of all teams. The warps of one team begin at the same place within a sector, since the
/// elements of a warp are whole sectors; what that place is for team b repeats after at most as many teams as a sector
/// has bytes.
constexpr double sectors_per_request(Walk const& walk, Hardware const& device) {
  std::int64_t const period = device.sector;
  std::int64_t const whole = walk.team / device.warp, rest = walk.team % device.warp;
  std::int64_t const shift = walk.team % period * (walk.stride % period);  // from team to team
  std::int64_t sectors = 0;
  for (std::int64_t b = 0; b < period; ++b) {
    std::int64_t const first = (walk.offset + b * shift) % period;
    sectors += whole * sectors_of_request(walk, first, device.warp, device.sector);
    if (rest > 0) sectors += sectors_of_request(walk, first, rest, device.sector);
  }
  return static_cast<double>(sectors) / static_cast<double>(period * warps_of(walk.team, device));
}

/// The same for each thread, whether it asks or not.
constexpr double sectors_per_thread(Walk const& walk, Hardware const& device) {
  return sectors_per_request(walk, device) * static_cast<double>(warps_of(walk.team, device)) /
         static_cast<double>(walk.team);
}

}  // namespace tilestride
