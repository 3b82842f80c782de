// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "model/result.hpp"

namespace tilestride {

struct TableStyle {
  bool skipped = false;  ///< a row for each case that was skipped
  bool colour = false;   ///< with the escape codes of a terminal
};

/// One problem as a table: one line per variant, the fastest marked, and the reason for each variant that did not pass.
/// Empty when there is no row to show.
std::string group_table(std::vector<Result> const& results, TableStyle style = {});

/// Explains the columns that the tables of these results have; empty when there are none.
std::string table_legend(std::vector<Result> const& results);

/// "43 cases skipped (--verbose lists them): no program here has space cuda (30); …": in one line, a SkipReason for
/// each part, in its most frequent words, the most frequent first. Empty when no case was skipped.
std::string skip_line(std::vector<Result> const& results);

/// "FOM NAME bandwidth = 2875.412 GB/s" and "FOM NAME time_median = 93.310 us" for every case that passed: one fact a
/// line, plain decimals, for scripts to pick up.
std::string fom_lines(std::vector<Result> const& results);

/// The number of cases by outcome.
struct Tally {
  std::size_t passed = 0, failed = 0, errors = 0, skipped = 0, not_run = 0;
};
Tally tally(std::vector<Result> const& results);

}  // namespace tilestride
