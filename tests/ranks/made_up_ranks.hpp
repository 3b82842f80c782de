// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Ranks that nobody started.

#include <fmt/format.h>

#include <string>
#include <vector>

#include "ranks/facts.hpp"
#include "report/made_up.hpp"

namespace tilestride {

/// Four to a host, each with a device.
inline std::vector<RankFacts> made_up_ranks(std::size_t count) {
  std::vector<RankFacts> ranks(count);
  for (std::size_t r = 0; r < count; ++r) {
    ranks[r].host = fmt::format("node{}", r / 4);
    ranks[r].uuid = fmt::format("GPU-{}", r);
  }
  return ranks;
}

inline Plan one_case() {
  return made_up_plan("[[case]]\npattern = \"transpose\"\nvariant = \"copy\"\nshape = \"8x8\"\n");
}

/// The median times of the ranks of a case, given as their rates in calls per second.
inline Result with_rates(Case const& c, std::vector<double> const& rates) {
  Result result = passed(c, steady(1));
  result.ranks.emplace();
  for (double const rate : rates) result.ranks->seconds.push_back(1 / rate);
  return result;
}

}  // namespace tilestride
