// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <vector>

#include "model/result.hpp"
#include "plan/plan.hpp"
#include "report/table.hpp"

namespace tilestride {

/// The results of a run as they come in. The table of a problem is printed when its last case is known.
class RunResults {
 public:
  /// Without a style, no table is printed.
  RunResults(Plan const& plan, std::optional<TableStyle> style);

  void record(std::size_t index, Result const& result);  ///< of a case of the plan

  /// The problems that the run did not finish.
  void print_unfinished() const;

  /// Parallel to the plan's cases.
  std::vector<Result> const& all() const { return results_; }

 private:
  void print(std::size_t group) const;

  Plan const& plan_;
  std::optional<TableStyle> style_;
  std::vector<Result> results_;
  std::vector<std::size_t> open_;      ///< how many cases of each group are missing
  std::vector<std::size_t> group_of_;  ///< of each case
};

}  // namespace tilestride
