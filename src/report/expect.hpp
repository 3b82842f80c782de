// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "model/result.hpp"
#include "plan/plan.hpp"

namespace tilestride {

enum class Judgement { met, within_noise, not_met, skipped };

/// The verdict of a rule on one of its comparisons.
struct Verdict {
  Rule const* rule = nullptr;
  Judgement judgement = Judgement::not_met;
  std::string text;  ///< one line: the cases, the reached value, the required value
  Estimate reached;  ///< a ratio, or B/s or FLOP/s for an absolute rule; zeros when nothing could be compared
};

/// Judges every rule of a plan. `results` is parallel to the plan's cases. A rule is not met when the whole interval of
/// the reached value is below the required value, and met within noise when the interval contains the required value.
/// One that has nothing to compare is not met; skipped when it is optional and one of its sides was skipped. Throws
/// std::runtime_error for a rule whose result file cannot be read.
std::vector<Verdict> judge(Plan const& plan, std::vector<Result> const& results);

}  // namespace tilestride
