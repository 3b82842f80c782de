// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What the first-level cache takes for the loads of warps that ask for a word per lane: by the card, whose
// bandwidth/global_words reads 128 bytes with each.

#include <fmt/format.h>

#include "model/case.hpp"

namespace tilestride {

/// Seconds for so many such requests of a whole device; 0 where no card says.
inline double seconds_of_requests(Case const& c, double requests) {
  return requests * 128 *
         c.card_seconds(fmt::format("bandwidth/global_words/{}/i32/bytes=16KiB/reads=set/readers=0/passes=0", c.space));
}

}  // namespace tilestride
