// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "compare/document.hpp"
#include "compare/spread.hpp"

namespace tilestride {

enum class Judged { faster, slower, same, unclear, not_comparable };
std::string_view name_of(Judged judged);

/// One case on both sides. Ratios are of rates (or of shares of the ceiling), mine over theirs: above 1, mine is
/// faster.
struct ComparedCase {
  std::string name, pattern;
  Judged judged = Judged::unclear;
  std::string next_step;    ///< of what is unclear or not comparable: the reason, or what to do, in words
  bool measured = false;    ///< on both sides, in the same way: it has a difference
  bool failed = false;      ///< FAILED or ended in an error in one of my runs, and passed in theirs
  bool of_ceiling = false;  ///< shares of the ceiling were compared, since the devices differ
  Difference difference;
  double q = 1;              ///< share of false ones among the differences that are at least as clear
  double cycles_ratio = 0;   ///< the same in cycles (time x clock) where the clocks are known and differ; else 0
  bool below_limit = false;  ///< certainly slower than the limit

  double ratio() const;
  std::pair<double, double> interval() const;  ///< 95 %
};

/// A fact that differs between the sides, or within one.
struct DifferingFact {
  std::string name;
  std::vector<std::string> mine, theirs;  ///< the values, each once; empty text: absent
};

struct RunComparison {
  std::vector<RecordedRun> mine, theirs;
  std::vector<ComparedCase> cases;          ///< that passed on both sides, or passed in theirs and failed in mine
  std::vector<std::string> missing, added;  ///< passed in theirs and absent, skipped or not run in mine; the reverse
  std::vector<DifferingFact> facts;
  bool in_turns = false;  ///< the k-th runs of both sides were made together, sample by sample
  bool one_run_a_side() const { return mine.size() == 1 && theirs.size() == 1; }
};

/// What a caller of a comparison decides.
struct Tolerance {
  double same_within = 0.01;        ///< differences up to this share are of no interest
  double false_discoveries = 0.05;  ///< at most this share of what is called faster or slower is so by chance
  double limit = 1;                 ///< ratio that a gate asks for
};

/// Throws std::runtime_error when a run stands on one side twice.
RunComparison compare(std::vector<RecordedRun> mine, std::vector<RecordedRun> theirs, Tolerance const& tolerance);

/// The k-th runs of both sides were made together, sample by sample: their samples are compared in pairs.
RunComparison compare_in_turns(std::vector<RecordedRun> mine, std::vector<RecordedRun> theirs,
                               Tolerance const& tolerance);

/// The geometric mean of the ratios of one pattern's cases.
struct PatternMean {
  std::string pattern;
  double ratio = 1;
  std::size_t cases = 0;
};
std::vector<PatternMean> pattern_means(RunComparison const& comparison);

}  // namespace tilestride
