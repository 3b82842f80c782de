// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What the patterns share that several ranks work on together. No Kokkos here.

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>

#include "machine/host.hpp"
#include "model/result.hpp"
#include "model/trial.hpp"

namespace tilestride {

/// How many ranks there are; 2 before that is known, for the plan.
inline int ranks_of(Case const& c) { return c.hardware.ranks == 0 ? 2 : c.hardware.ranks; }

inline std::optional<Skip> why_no_ranks(Bench const& bench) {
  if (bench.ranks != nullptr && bench.ranks->count() > 1) return {};
  return Skip{SkipReason::one_device, "needs ranks: --ranks 2 or more"};
}

/// Why the ranks cannot share the n rows of a case.
inline std::optional<Skip> why_not_shared(Bench const& bench, Case const& c) {
  if (auto const skip = why_no_ranks(bench)) return skip;
  if (c.integer("n") % bench.ranks->count() == 0) return {};
  return Skip{SkipReason::not_applicable,
              fmt::format("{} rows are not as many for each of {} ranks", c.integer("n"), bench.ranks->count())};
}

/// The reason of the first rank that has one, so that all of them skip a case or none does. Collective.
inline std::optional<Skip> of_any_rank(Ranks& ranks, std::optional<Skip> const& mine) {
  for (std::string const& one :
       ranks.of_all(mine ? fmt::format("{} {}", static_cast<int>(mine->reason), mine->words) : "")) {
    if (one.empty()) continue;
    std::size_t const space = one.find(' ');
    return Skip{static_cast<SkipReason>(std::stoi(one.substr(0, space))), one.substr(space + 1)};
  }
  return {};
}

/// B/s of the links of a rank's device to the others together, one way: the lowest of the ranks. 0 where they share a
/// device or are on several hosts, where there are no links, and where none is known. Collective.
inline double link_between(Ranks& ranks, Device const& device) {
  auto const address = device.facts.find("pci address");
  std::set<std::string> hosts, devices;
  for (std::string const& one :
       ranks.of_all(host_facts().name + " " + (address == device.facts.end() ? "" : address->second))) {
    hosts.insert(one.substr(0, one.find(' ')));
    devices.insert(one);
  }
  double const lowest = -ranks.largest(-device.link);
  return hosts.size() == 1 && devices.size() == static_cast<std::size_t>(ranks.count()) ? lowest : 0;
}

constexpr char const* link_column = "link GB/s";

/// What the links allow beside what was measured: of so many bytes that the busiest device takes, one after the other.
inline Quantities of_link(Result const& result, double bytes) {
  double const link = 1e9 * result.measured_value(link_column);
  if (link == 0) return {};
  return {{"of link", bytes / link / result.statistics().time.median}};
}

}  // namespace tilestride
