// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// How far two builds lie apart, when two runs of one build do not agree either.
//
// The samples of one process say nothing of what differs between processes (where buffers lie, which state a clock or a
// library is in). So one run is one observation of each case: the logarithm of its median. Runs are few and cases are
// many: the spread between runs is estimated for all cases together, and the estimate of each case is drawn towards it
// (moderated t; Smyth, Statistical Applications in Genetics and Molecular Biology 3, 2004, article 3). Cases that
// scatter more within a run differ more between runs, so what each is drawn to follows its scatter.

#include <cstddef>
#include <utility>
#include <vector>

namespace tilestride {

/// One case in all runs: the logarithms of its rates.
struct Observed {
  std::vector<double> mine, theirs;  ///< at least one each
  double scatter = 0;                ///< within a run: the standard error of a median, as a share of it
  bool paired = false;               ///< the k-th runs of both sides were made in turns: only their difference counts
};

/// How far apart the two sides lie in one case, and how well this is known.
struct Difference {
  double log_ratio = 0;              ///< of the rates: mine over theirs
  double deviation = 0;              ///< standard deviation between runs of one build
  double degrees = 0;                ///< of freedom of the deviation; 0: nothing is known of it
  std::size_t mine = 1, theirs = 1;  ///< runs
  bool paired = false;               ///< as in Observed

  double standard_error() const;
  /// What it would be with so many more runs a side, ratio and deviation unchanged.
  Difference with_more_runs(std::size_t more) const;
  /// The probability of so large a difference, in either direction, where the true one is `log_ratio_of_null`.
  double p_value(double log_ratio_of_null = 0) const;
  /// The probability of so low a ratio where the true one is `limit`.
  double p_value_below(double log_limit) const;
  /// The interval that holds the true logarithm with this probability; everything when nothing is known.
  std::pair<double, double> interval(double probability = 0.95) const;
};

/// The differences of all cases, in their order. With one run a side there are no two runs to learn from: the spread is
/// then that of the differences themselves about their median, which is too large where much has changed.
std::vector<Difference> differences(std::vector<Observed> const& cases);

/// The share of false ones among all discoveries when those with a p-value up to this are called discoveries (Benjamini
/// & Hochberg, Journal of the Royal Statistical Society B 57, 1995): one q-value for each p-value, in their order.
std::vector<double> q_values(std::vector<double> const& p_values);

/// One case's variance between runs, estimated with so many degrees of freedom.
struct Variance {
  double value = 0;
  double degrees = 0;
  double scatter = 0;  ///< as in Observed
};

/// What all cases tell: the variance of a case is a draw from variance(scatter) times `degrees` over chi-squared.
struct CommonSpread {
  double level = 0, slope = 0;  ///< log variance = level + slope x log scatter
  double degrees = 0;           ///< 0: too few cases to say

  double variance(double scatter) const;
};
CommonSpread common_spread(std::vector<Variance> const& variances);

}  // namespace tilestride
