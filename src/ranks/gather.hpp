// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>
#include <vector>

#include "process/messages.hpp"
#include "ranks/facts.hpp"

namespace tilestride {

/// What the journals of a run's ranks hold.
struct Gathered {
  std::vector<RankFacts> ranks;
  std::map<std::string, Json> hellos, machines;  ///< the first rank's messages, by the name of its program
  std::map<std::size_t, Result> results;         ///< by index into the plan, of cases that any rank finished
};

/// Reads the journals of `count` ranks in `folder`. Of a case that was measured in several launches, the last one
/// counts that all ranks finished. Each line is parsed once, on all cores, and no more than a few cases are held at a
/// time as the ranks wrote them; what does not fit a case of the plan is left out. `redact`: reasons name no host and
/// no device.
Gathered gather_journals(std::string const& folder, std::size_t count, Plan const& plan, CaseIndex const& index,
                         bool redact);

}  // namespace tilestride
