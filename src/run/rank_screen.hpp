// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "plan/plan.hpp"
#include "process/messages.hpp"
#include "ranks/screen.hpp"

namespace tilestride {

/// Looks for slow ranks, and slow messages between them, among the results of a run, and measures the cases again in
/// which there are any: named is what both say.
class RankScreen {
 public:
  /// `baseline`: a file of tools/learn_baseline.py; empty: none. Throws std::runtime_error when it cannot be read.
  RankScreen(RunSettings const& settings, std::string const& baseline);

  /// Measures these cases again, by index, and returns all results with theirs in place of the first ones: of those
  /// that it could not measure, results without figures. Nothing when it measured none.
  using Repeat = std::function<std::vector<Result>(std::vector<std::size_t> const& cases)>;
  void look(std::vector<Result> const& results, std::vector<RankFacts> const& ranks, Repeat const& repeat);

  /// Something is slow, and a repeat has confirmed it, or there was none.
  bool named_any() const;
  /// The findings, and what the screen could not have seen, in lines. `ranks`: as they may be printed.
  std::vector<std::string> lines(std::vector<Result> const& results, std::vector<RankFacts> const& ranks) const;
  Json json() const;
  /// The messages that are slow, and the hosts that they have in common; null where there are none.
  Json json_of_messages(std::vector<RankFacts> const& ranks) const;

 private:
  ScreenLimits limits_;
  Baseline baseline_;
  std::vector<Finding> found_;                              ///< of ranks
  std::vector<Finding> slow_messages_, doubtful_messages_;  ///< doubtful: a repeat has not confirmed them
  std::vector<SlowCase> slow_cases_;
};

/// Where each rank ran, for the result document.
Json to_json(std::vector<RankFacts> const& ranks);

}  // namespace tilestride
