// SPDX-License-Identifier: BSD-3-Clause
#include "patterns/banks.hpp"

#include <algorithm>
#include <set>

namespace tilestride {
namespace {

constexpr int banks = 32;
constexpr int bank_bytes = 4;

/// True when each lane that asks for something asks for the same as lane ^ mask, where that one asks at all.
bool in_pairs(LaneAddresses const& address, int mask) {
  for (int lane = 0; lane < warp_lanes; ++lane) {
    std::int64_t const mine = address[static_cast<std::size_t>(lane)];
    std::int64_t const other = address[static_cast<std::size_t>(lane ^ mask)];
    if (mine != no_address && other != no_address && mine != other) return false;
  }
  return true;
}

int group_size(LaneAddresses const& address, int word, Direction direction) {
  int const lanes = word <= bank_bytes ? warp_lanes : warp_lanes * bank_bytes / word;
  bool const vector_load = word > bank_bytes && direction == Direction::load;
  return vector_load && (in_pairs(address, 1) || in_pairs(address, 2)) ? 2 * lanes : lanes;
}

}  // namespace

int wavefronts(LaneAddresses const& address, int word, Direction direction) {
  int const lanes = group_size(address, word, direction);
  int total = 0;
  for (int first = 0; first < warp_lanes; first += lanes) {
    std::array<std::set<std::int64_t>, banks> wanted;  // the words that each bank has to serve
    for (int lane = first; lane < first + lanes; ++lane) {
      std::int64_t const begin = address[static_cast<std::size_t>(lane)];
      if (begin == no_address) continue;
      for (std::int64_t w = begin / bank_bytes; w <= (begin + word - 1) / bank_bytes; ++w)
        wanted[static_cast<std::size_t>(w % banks)].insert(w);
    }
    std::size_t busiest = 0;
    for (auto const& words : wanted) busiest = std::max(busiest, words.size());
    total += static_cast<int>(busiest);
  }
  return total;
}

}  // namespace tilestride
