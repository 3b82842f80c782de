// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What the first-level cache takes for the loads of warps that ask for a word per lane: by the card, whose
// bandwidth/global_words reads 128 bytes with each.

#include <fmt/format.h>

#include "model/case.hpp"

namespace tilestride {

/// Seconds for so many such requests of a whole device; 0 where no card says. Of the card's sizes the one that is read
/// fastest: in a small set the passes are short, and a large one may not fit.
inline double seconds_of_requests(Case const& c, double requests) {
  double of_a_byte = 0;
  for (char const* bytes : {"16KiB", "64KiB", "128KiB", "192KiB"}) {
    double const seconds = c.card_seconds(
        fmt::format("bandwidth/global_words/{}/i32/bytes={}/reads=set/readers=0/passes=0", c.space, bytes));
    if (seconds > 0 && (of_a_byte == 0 || seconds < of_a_byte)) of_a_byte = seconds;
  }
  return requests * 128 * of_a_byte;
}

}  // namespace tilestride
