// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "model/result.hpp"
#include "ranks/baseline.hpp"
#include "ranks/facts.hpp"

namespace tilestride {

/// From which deficit a rank is watched, and from which its device is to be replaced: shares of the median of all.
struct ScreenLimits {
  double watch = 0.035, replace = 0.07;
};

/// The robust z below which a rank of `figures` (ranks times cases) counts as slow: 3 at the least, and so far out that
/// of healthy ranks with a normal spread three fall below it by chance, however many there are (docs/scaling.md).
double z_limit(double figures);

/// One rank that is slow in one case.
struct Suspect {
  std::string case_name;
  std::size_t rank = 0;
  double deficit = 0;     ///< share below what is expected: 0.08
  double z = 0;           ///< how many robust standard deviations it lies off
  bool own_past = false;  ///< compared with its own past, not with the other ranks
};

/// The ranks that are slow: those more than `limits.watch` below the median of all ranks and below z_limit(); with a
/// baseline also those as far below their own past. Fewer than three ranks have no median to be compared with.
std::vector<Suspect> suspects(std::vector<Result> const& results, std::vector<RankFacts> const& ranks,
                              ScreenLimits const& limits, Baseline const& baseline);

/// A case that is slower than its ranks' own past by more than `limits.watch` at the median of all: what slows them all
/// makes none of them a suspect.
struct SlowCase {
  std::string name;
  double deficit = 0;  ///< 0.05
};
std::vector<SlowCase> slower_than_their_past(std::vector<Result> const& results, std::vector<RankFacts> const& ranks,
                                             ScreenLimits const& limits, Baseline const& baseline);

enum class Action { watch, retest, replace };
char const* name_of(Action action);

/// What is to be done about a rank: of its cases the one that is furthest off.
struct Finding {
  std::size_t rank = 0;
  Action action = Action::retest;
  Suspect worst;
  std::size_t cases = 0;  ///< in how many it is slow
  bool repeated = false;  ///< `worst` was measured again
};

/// The ranks that two measurements agree on in a case, beside the others or beside their own past, and those that only
/// the first names, for a retest. The deficit that counts is the smaller one. `repeated`: the cases that were measured
/// again.
std::vector<Finding> findings(std::vector<Suspect> const& first, std::vector<Suspect> const& repeat,
                              std::set<std::string> const& repeated, ScreenLimits const& limits);

/// Whether the ranks of a case can be compared with each other: they did not work together, and there are three.
bool has_peers(Result const& result);

/// The standard deviation of the ranks' rates that their MAD stands for, as a share of their median.
double spread_between(OfRanks const& ranks);

/// The smallest deficit that the comparison with other ranks finds in 99 of 100 ranks, for this spread between them.
double smallest_found(double spread, double figures, ScreenLimits const& limits);

}  // namespace tilestride
