// SPDX-License-Identifier: BSD-3-Clause
#include "patterns/common/banks.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>

namespace tilestride {
namespace {

/// True when each lane that asks for something asks for the same as lane ^ mask, where that one asks at all.
bool in_pairs(LaneAddresses const& addresses, std::size_t mask) {
  for (std::size_t lane = 0; lane < addresses.size(); ++lane) {
    std::int64_t const mine = addresses[lane], other = addresses[lane ^ mask];
    if (mine != no_address && other != no_address && mine != other) return false;
  }
  return true;
}

int group_size(BankRules const& rules, LaneAddresses const& addresses, int word, Direction direction) {
  int const lanes = word <= rules.bank_bytes ? rules.lanes : rules.lanes * rules.bank_bytes / word;
  bool const vector_load = word > rules.bank_bytes && direction == Direction::load;
  return vector_load && (in_pairs(addresses, 1) || in_pairs(addresses, 2)) ? 2 * lanes : lanes;
}

}  // namespace

std::optional<BankRules> bank_rules(Hardware const& hardware) {
  if (hardware.warp != nvidia_banks.lanes || hardware.banks != nvidia_banks.banks) return {};
  return nvidia_banks;
}

int wavefronts(BankRules const& rules, LaneAddresses const& addresses, int word, Direction direction) {
  if (addresses.size() != static_cast<std::size_t>(rules.lanes))
    throw std::logic_error("these bank rules are for another warp");
  int const lanes = group_size(rules, addresses, word, direction);
  int total = 0;
  for (int first = 0; first < rules.lanes; first += lanes) {
    std::vector<std::set<std::int64_t>> wanted(static_cast<std::size_t>(rules.banks));  // the words that each serves
    for (int lane = first; lane < first + lanes; ++lane) {
      std::int64_t const begin = addresses[static_cast<std::size_t>(lane)];
      if (begin == no_address) continue;
      for (std::int64_t w = begin / rules.bank_bytes; w <= (begin + word - 1) / rules.bank_bytes; ++w)
        wanted[static_cast<std::size_t>(w % rules.banks)].insert(w);
    }
    std::size_t busiest = 0;
    for (auto const& words : wanted) busiest = std::max(busiest, words.size());
    total += static_cast<int>(busiest);
  }
  return total;
}

}  // namespace tilestride
