// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "plan/plan.hpp"

namespace tilestride {

/// Seconds, at the least and at the most.
struct TimeEstimate {
  double least = 0, most = 0;
  double middle() const { return (least + most) / 2; }
};

/// A rough estimate without knowledge of the machine: 10 GB/s and 10 GFLOP/s for a host, a hundred times as much for a
/// device.
TimeEstimate time_estimate(Case const& c);
TimeEstimate time_estimate(Plan const& plan);  ///< of all cases that are not skipped

/// What --dry-run prints: each case with the memory that it needs, and the estimate.
void print_plan(Plan const& plan);

}  // namespace tilestride
