// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Which lines of a buffer a kernel touches, and up to which point mapping is faster than copying first. No Kokkos here.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace tilestride::zero_copy {

constexpr std::int64_t line_bytes = 128;  ///< what a GPU asks for at most in one request over the link

/// `percent` of the lines, at least one.
constexpr std::int64_t touched_lines(std::int64_t lines, std::int64_t percent) {
  return std::max<std::int64_t>(1, lines / 100 * percent + lines % 100 * percent / 100);
}

/// The touched lines lie evenly over the buffer: the i-th of them is line (i * step) >> 32. For less than 2^32 lines.
constexpr std::uint64_t step_between(std::int64_t lines, std::int64_t touched) {
  return (static_cast<std::uint64_t>(lines) << 32) / static_cast<std::uint64_t>(touched);
}

/// Seconds of the two ways at one value of a key.
struct Ways {
  std::int64_t at;
  double mapped, copied;
};

/// The last value, from the smallest on, up to which the mapped way is never the slower one; none where it is slower at
/// the first.
inline std::optional<std::int64_t> mapping_wins_to(std::vector<Ways> ways) {
  std::sort(ways.begin(), ways.end(), [](Ways const& a, Ways const& b) { return a.at < b.at; });
  std::optional<std::int64_t> last;
  for (Ways const& w : ways) {
    if (w.mapped > w.copied) break;
    last = w.at;
  }
  return last;
}

}  // namespace tilestride::zero_copy
