// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/run_folder.hpp"
#include "run/run.hpp"

namespace tilestride {

/// What an earlier run left in the folder given to --resume.
struct EarlierRun {
  Json header;                                 ///< its first line; null: it was killed before it wrote one
  std::vector<Json> lines;                     ///< all that can be read
  std::vector<std::optional<Result>> results;  ///< parallel to the plan's cases
};

/// The description of a run with this resolved deck: the first line of cases.jsonl. A resumed run must have the same.
Json run_line(RunOptions const& options, std::string const& deck);

/// Replaces --resume by the options of the run to be continued. Throws std::runtime_error if that is not possible.
RunOptions resumed(RunOptions options, Programs const& programs);

/// Reads the folder, and takes --only and --redact from the earlier run. Throws std::runtime_error if the machine, the
/// build or the deck differs from the earlier run, or if that cannot be known: the figures would not be comparable.
EarlierRun read_earlier(RunFolder const& folder, RunOptions& options);

/// Finds the results of the plan's cases, and checks that their programs are still the same. A result without a line
/// before it that says by which build it was measured does not count.
void match_earlier(EarlierRun& earlier, Plan const& plan, Programs const& programs);

}  // namespace tilestride
