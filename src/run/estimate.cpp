// SPDX-License-Identifier: BSD-3-Clause
#include "run/estimate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>

#include "model/units.hpp"

namespace tilestride {

TimeEstimate time_estimate(Case const& c) {
  Work const work = c.work();
  double const call = (work.bytes + work.flops + work.operations) / (is_host_space(c.space) ? 1e10 : 1e12);
  double const metering = c.sampling.energy ? 2.5 : 0;
  return {metering + 0.05 + std::min(5 * call, c.sampling.max_time),
          metering + 0.5 + std::max(1.3 * c.sampling.max_time, 8 * call)};
}

TimeEstimate time_estimate(Plan const& plan) {
  TimeEstimate all;
  for (Case const& c : plan.cases) {
    if (c.skip) continue;
    auto const [least, most] = time_estimate(c);
    all.least += least;
    all.most += most;
  }
  return all;
}

void print_plan(Plan const& plan) {
  for (std::vector<std::size_t> const& group : plan.groups) {
    for (std::size_t const i : group) {
      Case const& c = plan.cases[i];
      bool const share = std::any_of(c.values.begin(), c.values.end(), [](Value const& v) { return v.percent != 0; });
      std::cout << fmt::format("{:<60} {:>12}{}\n", c.name(), share ? "a share" : short_bytes(c.needs()),
                               c.skip ? "  skipped: " + c.skip->words : "");
    }
  }
  auto const [least, most] = time_estimate(plan);
  std::cout << fmt::format("{} cases of {} problems, {} rules; {} to {}{}\n", plan.cases.size(), plan.groups.size(),
                           plan.rules.size(), short_time(least), short_time(most),
                           plan.run.budget > 0 ? ", at most " + short_time(plan.run.budget) : "");
}

}  // namespace tilestride
