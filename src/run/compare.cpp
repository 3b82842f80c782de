// SPDX-License-Identifier: BSD-3-Clause
#include "run/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>

#include "compare/summary.hpp"
#include "run/commands.hpp"

namespace tilestride {
namespace {

/// Reads all of them; tells every one that cannot be read.
std::optional<std::vector<RecordedRun>> read_runs(std::vector<std::string> const& paths) {
  std::vector<RecordedRun> runs;
  for (std::string const& path : paths) {
    try {
      runs.push_back(read_run(path));
    } catch (std::exception const& problem) {
      complain(problem.what());
    }
  }
  if (runs.size() != paths.size()) return {};
  return runs;
}

/// Why the comparison is not met; empty: it is.
std::string why_not_met(RunComparison const& comparison, CompareOptions const& options) {
  auto const count = [&](auto const& is) {
    return std::count_if(comparison.cases.begin(), comparison.cases.end(), is);
  };
  if (auto const failed = count([](ComparedCase const& c) { return c.failed; }); failed > 0)
    return fmt::format("{} went wrong in mine", failed);
  if (comparison.one_run_a_side()) return "";
  if (auto const slower = count([](ComparedCase const& c) { return c.below_limit; }); slower > 0)
    return fmt::format("{} certainly below {}", slower, options.limit.value_or(1));
  if (!options.limit) return "";
  auto const apart = count([](ComparedCase const& c) { return !c.measured; });
  if (!comparison.missing.empty() || apart > 0)
    return fmt::format("{} of theirs cannot be compared", comparison.missing.size() + static_cast<std::size_t>(apart));
  return "";
}

}  // namespace

int compare(CompareOptions const& options) {
  auto mine = read_runs(options.mine);
  auto theirs = read_runs(options.theirs);
  if (!mine || !theirs) return exit_usage;
  Tolerance tolerance;
  tolerance.same_within = options.same_within / 100;
  tolerance.limit = options.limit.value_or(1);
  RunComparison comparison;
  try {
    comparison = compare(std::move(*mine), std::move(*theirs), tolerance);
  } catch (std::exception const& problem) {
    complain(problem.what());
    return exit_usage;
  }
  std::cout << summary(comparison, tolerance, options.all);
  bool const any = std::any_of(comparison.cases.begin(), comparison.cases.end(),
                               [](ComparedCase const& c) { return c.measured || c.failed; });
  std::string const reason = why_not_met(comparison, options);
  char const* const word = !reason.empty() ? "FAIL" : any ? "PASS" : "NOTHING TO COMPARE";
  std::cout << fmt::format("COMPARE STATUS: {} {}{}{}\n", word, counts(comparison), reason.empty() ? "" : ": ", reason);
  return !reason.empty() ? exit_expectation : any ? exit_pass : exit_usage;
}

}  // namespace tilestride
