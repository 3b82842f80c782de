// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What an exchange is, for kernels and verification alike; no Kokkos here. Lane l of a warp has rank l mod width in its
// group, and in every step
//
//   x = keep(rank)·y + own(l)      y = exchange(x) within the group
//
// beginning with y = 0. For reductions and scans, which would grow without bound, the group's last lane alone keeps
// what it got; own values are small integers (eighths for reals). So every value is exact, in f32 too: below 2^24
// eighths after shuffle_steps.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "patterns/warp.hpp"

namespace tilestride {

constexpr int shuffle_steps = 1 << 16;

/// Does a step hand on what each lane got, or only what the last lane of a group got?
inline bool all_lanes_keep(std::string_view op) { return op != "reduce" && op != "scan"; }

/// What each lane gets from the last of `steps` exchanges, in units of own values, lane by lane as the words of the op
/// say.
inline std::array<std::int64_t, warp_lanes> exchanged(std::string const& op, int width, int steps) {
  std::array<std::int64_t, warp_lanes> x{}, y{};
  for (int step = 0; step < steps; ++step) {
    for (int lane = 0; lane < warp_lanes; ++lane) {
      bool const kept = all_lanes_keep(op) || lane % width == width - 1;
      x[std::size_t(lane)] = (kept ? y[std::size_t(lane)] : 0) + lane - 12;
    }
    for (int first = 0; first < warp_lanes; first += width) {
      std::int64_t sum = 0;
      for (int rank = 0; rank < width; ++rank) sum += x[std::size_t(first + rank)];
      std::int64_t prefix = 0;
      for (int rank = 0; rank < width; ++rank) {
        prefix += x[std::size_t(first + rank)];
        int source = rank;
        if (op == "broadcast") source = 0;
        if (op == "up" && rank > 0) source = rank - 1;
        if (op == "down" && rank < width - 1) source = rank + 1;
        if (op == "rotate") source = (rank + 1) % width;
        if (op == "xor") source = rank < width / 2 ? rank + width / 2 : rank - width / 2;
        y[std::size_t(first + rank)] = op == "reduce" ? sum : op == "scan" ? prefix : x[std::size_t(first + source)];
      }
    }
  }
  return y;
}

}  // namespace tilestride
