// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <map>
#include <optional>
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

/// One rank that is slow in one case, or its messages to another one.
struct Suspect {
  std::string case_name;
  std::size_t rank = 0;
  double deficit = 0;               ///< share below what is expected: 0.08
  double z = 0;                     ///< how many robust standard deviations it lies off
  bool own_past = false;            ///< compared with its own past, not with the other ranks
  std::optional<std::size_t> to{};  ///< of messages: the rank that gets them
};

/// The ranks that are slow: those more than `limits.watch` below the median of all ranks and below z_limit(); with a
/// baseline also those as far below their own past. Fewer than three ranks have no median to be compared with.
std::vector<Suspect> suspects(std::vector<Result> const& results, std::vector<RankFacts> const& ranks,
                              ScreenLimits const& limits, Baseline const& baseline);

/// The messages that are slow in cases in which those of each pair of ranks go alone: by the same rule, beside those of
/// other pairs that go as far, within a host or from one to another.
std::vector<Suspect> slow_messages(std::vector<Result> const& results, std::vector<RankFacts> const& ranks,
                                   ScreenLimits const& limits);

/// The hosts that all of these messages leave or reach: where one is at fault, it. Two where all go between the same
/// two, none where there is none in common.
std::vector<std::string> hosts_in_common(std::vector<Suspect> const& messages, std::vector<RankFacts> const& ranks);

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

/// What is to be done about a rank, or about its messages to another one: of its cases the one that is furthest off.
struct Finding {
  std::size_t rank = 0;
  Action action = Action::retest;
  Suspect worst;
  std::size_t cases = 0;  ///< in how many it is slow
  bool repeated = false;  ///< `worst` was measured again
};

/// The ranks, and messages, that two measurements agree on in a case, beside the others or beside their own past, and
/// those that only the first names, for a retest. The deficit that counts is the smaller one. `repeated`: the cases
/// that were measured again.
std::vector<Finding> findings(std::vector<Suspect> const& first, std::vector<Suspect> const& repeat,
                              std::set<std::string> const& repeated, ScreenLimits const& limits);

/// Whether the ranks of a case can be compared with each other: they did not work together, and there are three.
bool has_peers(Result const& result);

/// The standard deviation of the ranks' rates that their MAD stands for, as a share of their median.
double spread_between(OfRanks const& ranks);

/// The smallest deficit that the comparison with other ranks finds in 99 of 100 ranks, for this spread between them.
double smallest_found(double spread, double figures, ScreenLimits const& limits);

}  // namespace tilestride
