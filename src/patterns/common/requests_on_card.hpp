// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What caches take for the requests of warps, by the card: the first level for loads of a word per lane
// (bandwidth/global_words reads 128 bytes with each), the second for stores that fill no sector (bandwidth/scattered)
// and for packs that are loaded and stored (bandwidth/copy); and how long a load takes with others under way
// (bandwidth/one_by_one).

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

/// Of a word that a lane of a device stores far from those of the others; 0 where no card says.
inline double seconds_of_a_scattered_store(Case const& c) {
  return 4 *
         c.card_seconds(fmt::format("bandwidth/scattered/{}/i32/bytes=16MiB/reads=part/readers=0/passes=0", c.space));
}

/// Of a byte that is stored to L2, in a copy of what fits in, which is no faster than its stores; 0 where no card says.
inline double seconds_of_a_byte_stored(Case const& c) {
  return 2 * c.card_seconds(fmt::format("bandwidth/copy/{}/i32/bytes=16MiB/reads=part/readers=0/passes=0", c.space));
}

/// Of a byte that is read from memory or written to it, in a copy of what no cache holds; 0 where no card says.
inline double seconds_of_a_byte_of_memory(Case const& c) {
  return c.card_seconds(fmt::format("bandwidth/copy/{}/i32/bytes=1GiB/reads=part/readers=0/passes=0", c.space));
}

/// Of a load from memory when so many threads of the device copy a word after the other, by the card's next larger
/// number of them; 0 where no card says.
inline double seconds_of_a_load(Case const& c, double threads) {
  std::int64_t readers = 33;
  while (readers < 264 && static_cast<double>(readers) * 1024 < threads) readers *= 2;
  double const bytes = static_cast<double>(readers) * 1024 * 8;  // of one step of all threads
  return bytes * c.card_seconds(fmt::format("bandwidth/one_by_one/{}/i32/bytes=1GiB/reads=part/readers={}/passes=1",
                                            c.space, readers));
}

}  // namespace tilestride
