// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What an exchange is, for kernels and verification alike; no Kokkos here. Lane l of a warp has rank l mod width in its
// group, and in every step
//
//   x = keep(rank)·y + own(l)      y = exchange(x) within the group
//
// beginning with y = 0. For reductions and scans, which would grow without bound, the group's last lane alone keeps
// what it got; own values are small integers (eighths for reals). So every value is exact, in f32 too: below 2^24
// eighths after all steps.

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace tilestride::shuffle {

constexpr int steps = 1 << 16;

/// Lanes of a group.
using Widths = std::integer_sequence<int, 2, 4, 8, 16, 32>;

/// Own values begin anew after so many lanes: no group is longer, and larger values would not stay exact.
constexpr int distinct_lanes = 32;
constexpr int first_own = -12;

/// Does a step hand on what each lane got, or only what the last lane of a group got?
inline bool all_lanes_keep(std::string_view op) { return op != "reduce" && op != "scan"; }

/// What each lane of a warp gets from the last of `count` exchanges, in units of own values.
inline std::vector<std::int64_t> exchanged(std::string_view op, int lanes, int width, int count) {
  std::vector<std::int64_t> x(static_cast<std::size_t>(lanes)), y(x);
  for (int step = 0; step < count; ++step) {
    for (int lane = 0; lane < lanes; ++lane) {
      bool const kept = all_lanes_keep(op) || lane % width == width - 1;
      x[std::size_t(lane)] = (kept ? y[std::size_t(lane)] : 0) + lane % distinct_lanes + first_own;
    }
    for (int first = 0; first < lanes; first += width) {
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

}  // namespace tilestride::shuffle
