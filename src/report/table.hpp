// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "model/result.hpp"

namespace tilestride {

/// One problem as a table: one line per variant, the fastest marked, and the reason for each variant that did not pass.
std::string group_table(std::vector<Result> const& results);

/// Explains the columns of a table in a line or two.
std::string table_legend();

/// "FOM NAME bandwidth = 2875.412 GB/s" and "FOM NAME time_median = 93.310 us" for every case that passed: one fact a
/// line, plain decimals, for scripts to pick up.
std::string fom_lines(std::vector<Result> const& results);

/// The number of cases by outcome.
struct Tally {
  std::size_t passed = 0, failed = 0, errors = 0, skipped = 0, not_run = 0;
};
Tally tally(std::vector<Result> const& results);

}  // namespace tilestride
