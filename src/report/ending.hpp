// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The last lines of a run.

#include <string>
#include <vector>

#include "report/expect.hpp"
#include "report/table.hpp"

namespace tilestride {

/// The number of verdicts by judgement; those that were skipped do not count.
struct RuleTally {
  std::size_t met = 0, within_noise = 0, not_met = 0;
};
RuleTally tally(std::vector<Verdict> const& verdicts);

/// "RUN STATUS: PASS passed=38 failed=0 …".
std::string status_line(std::string const& word, Tally const& cases, RuleTally const& rules);

/// The commands that take the result document further, ready to be pasted.
std::string next_steps(std::string const& document);

}  // namespace tilestride
