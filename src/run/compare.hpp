// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tilestride {

struct CompareOptions {
  std::vector<std::string> mine, theirs;  ///< result documents, or folders of runs
  std::optional<double> limit;            ///< ratio below which the gate fails; then every case must be compared
  double same_within = 1;                 ///< percent
  bool all = false;                       ///< list every case
};

/// Compares runs, prints the summary and returns the exit code: exit_expectation when a case is certainly slower than
/// the limit or went wrong, unless there is only one run a side.
int compare(CompareOptions const& options);

}  // namespace tilestride
