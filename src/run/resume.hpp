// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <vector>

#include "report/run_folder.hpp"
#include "run/run.hpp"

namespace tilestride {

/// What an earlier run left in the folder that --resume goes on in.
struct EarlierRun {
  Json header;                                 ///< its first line
  std::vector<Json> lines;                     ///< all of them
  std::vector<std::optional<Result>> results;  ///< parallel to the plan's cases
};

/// What a run is and where it begins: the first line of cases.jsonl. A resumed run must agree with it.
Json run_line(RunOptions const& options);

/// Turns --resume into the options of the run that it goes on with. Throws std::runtime_error where that cannot be.
RunOptions resumed(RunOptions options, Programs const& programs);

/// Reads what is there, and takes over --only and --redact. Throws std::runtime_error where this is another machine or
/// another build than the run began with: figures of both would not belong together.
EarlierRun read_earlier(RunFolder const& folder, RunOptions& options);

/// Finds the results of the plan's cases, and checks that their programs are still the same.
void match_earlier(EarlierRun& earlier, Plan const& plan, Programs const& programs);

}  // namespace tilestride
