// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What loops cost a host, by the memory card: their steps (the pattern steps), tiles of matrices (tiles), bytes from
// the first-level caches (bandwidth), parallel loops and their teams (launch). The card's costs are of all threads of
// the space together, as is the work of a case here.
//
// All functions give seconds, and 0 where no card says.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <string>
#include <utility>

#include "model/case.hpp"
#include "model/spaces.hpp"

namespace tilestride {

/// The sum of all parts; none where the card does not know one of them.
inline Model host_model(std::initializer_list<double> parts, char const* limiter) {
  Model model{0, limiter};
  for (double const part : parts) {
    if (part == 0) return {};
    model.seconds += part;
  }
  return model;
}

/// The longer of two; none where there is no `other`.
inline Model no_faster_than(Model const& other, Model const& model) {
  return other.seconds == 0 || model.seconds == 0 ? Model{} : slower_of(model, other);
}

/// So many steps of a variant of `steps`.
inline double seconds_of_steps(Case const& c, char const* variant, double count) {
  return count * c.card_seconds(fmt::format("steps/{}/{}/{}/passes=255", variant, c.space, name_of(c.type)));
}

/// A parallel loop over so many teams, without what they do.
inline double seconds_of_a_league(Case const& c, double teams) {
  auto const nothing = [&](std::int64_t threads) {
    return c.card_seconds(fmt::format("launch/teams/{}/i32/op=nothing/threads={}/team=1024", c.space, threads));
  };
  double const loop = nothing(1024), team = nothing(4194304);
  return loop == 0 || team == 0 ? 0 : loop + teams * team;
}

/// So many elements of a matrix of so many bytes whose rows are `pitch` bytes apart, by a walk of `tiles`: that of the
/// card's matrices which is nearest in size, all of whose rows begin in the same set of a first-level cache, as those
/// of this matrix do, or do not.
inline double seconds_of_tiles(Case const& c, char const* walk, double elements, double bytes, double pitch) {
  char const* const sizes[] = {"256KiB", "1MiB", "4MiB", "16MiB", "64MiB"};
  double const place = std::round(std::log2(std::max(bytes, 1.0) / 0x1p18) / 2);
  char const* const size = sizes[static_cast<int>(std::clamp(place, 0.0, 4.0))];
  bool const in_one_set = std::fmod(pitch, 4096) == 0;
  return elements * c.card_seconds(fmt::format("tiles/{}/{}/{}/bytes={}/pitch={}", walk, c.space, name_of(c.type), size,
                                               in_one_set ? 1024 : 1040));
}

/// So many elements that are brought into a tile of scratch: a row of a tile copied, and a test for each element.
inline double seconds_of_staging(Case const& c, double elements, double bytes, double pitch) {
  double const copied = seconds_of_tiles(c, "rows", elements, bytes, pitch);
  double const tested = seconds_of_steps(c, "guarded", elements);
  return copied == 0 || tested == 0 ? 0 : copied + tested;
}

/// Loads of so many bytes that are in the first-level caches, by a variant of `bandwidth` (global: vectors at multiples
/// of their size; unaligned: at any element): at the best rate of a small set.
inline double seconds_of_cached_bytes(Case const& c, char const* variant, double bytes) {
  double of_a_byte = 0;
  for (char const* size : {"16KiB", "64KiB", "256KiB", "1MiB"}) {
    double const seconds = c.card_seconds(
        fmt::format("bandwidth/{}/{}/i32/bytes={}/reads=part/readers=0/passes=0", variant, c.space, size));
    if (seconds > 0 && (of_a_byte == 0 || seconds < of_a_byte)) of_a_byte = seconds;
  }
  return bytes * of_a_byte;
}

/// Bytes that are moved in a set of so many, at the rate at which the card reads sets as large: between two of them a
/// straight line in logarithms.
inline double seconds_of_moved_bytes(Case const& c, double bytes, double set) {
  struct Point {
    double size, seconds;  ///< of a byte
  };
  Point below{}, above{};
  for (auto const& [name, size] :
       {std::pair{"256KiB", 0x1p18}, std::pair{"1MiB", 0x1p20}, std::pair{"4MiB", 0x1p22}, std::pair{"16MiB", 0x1p24},
        std::pair{"64MiB", 0x1p26}, std::pair{"256MiB", 0x1p28}, std::pair{"1GiB", 0x1p30}}) {
    double const seconds =
        c.card_seconds(fmt::format("bandwidth/global/{}/i32/bytes={}/reads=part/readers=0/passes=0", c.space, name));
    if (seconds == 0) return 0;
    if (size <= set || below.size == 0) below = {size, seconds};
    if (above.size < set) above = {size, seconds};
  }
  double const share = below.size == above.size ? 0 : std::log(set / below.size) / std::log(above.size / below.size);
  return bytes * std::exp(std::log(below.seconds) + share * std::log(above.seconds / below.seconds));
}

}  // namespace tilestride
