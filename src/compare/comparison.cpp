// SPDX-License-Identifier: BSD-3-Clause
#include "compare/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <stdexcept>
#include <unordered_map>

#include "model/statistics.hpp"

namespace tilestride {
namespace {

/// Clocks that differ by less explain nothing: a report rounds them to 15 MHz.
constexpr double least_clock_difference = 0.01;

/// More runs a side than this, nobody will make.
constexpr std::size_t most_runs = 20;

/// One case in all runs of a side; null where a run does not have it.
using Side = std::vector<RecordedCase const*>;

struct Pair {
  Side mine, theirs;
};

/// The cases of both sides by name, in the order of the first document that has them.
class Pairs {
 public:
  Pairs(std::vector<RecordedRun> const& mine, std::vector<RecordedRun> const& theirs) {
    take(mine, &Pair::mine);
    take(theirs, &Pair::theirs);
    for (Pair& pair : all_) {
      pair.mine.resize(mine.size());
      pair.theirs.resize(theirs.size());
    }
  }

  std::vector<Pair> const& all() const { return all_; }

 private:
  void take(std::vector<RecordedRun> const& runs, Side Pair::*side) {
    for (std::size_t r = 0; r < runs.size(); ++r) {
      for (RecordedCase const& c : runs[r].cases) {
        auto const [it, is_new] = index_.emplace(c.name, all_.size());
        if (is_new) all_.emplace_back();
        Side& of = all_[it->second].*side;
        of.resize(runs.size());
        of[r] = &c;
      }
    }
  }

  std::vector<Pair> all_;
  std::unordered_map<std::string, std::size_t> index_;
};

Side passed(Side side) {
  side.erase(std::remove_if(side.begin(), side.end(), [](auto const* c) { return c == nullptr || !c->passed(); }),
             side.end());
  return side;
}

/// The first that FAILED or ended in an error.
RecordedCase const* failure(Side const& side) {
  auto const it = std::find_if(side.begin(), side.end(), [](RecordedCase const* c) {
    return c != nullptr && (c->outcome == "FAILED" || c->outcome == "error");
  });
  return it == side.end() ? nullptr : *it;
}

/// The values of a member over both sides, each once.
template <class T>
std::set<T> values(Side const& mine, Side const& theirs, T RecordedCase::*member) {
  std::set<T> all;
  for (Side const* const side : {&mine, &theirs}) {
    for (RecordedCase const* const c : *side) all.insert(c->*member);
  }
  return all;
}

/// Why the figures of two sides cannot be set beside each other; empty: they can.
std::string why_not_comparable(Side const& mine, Side const& theirs) {
  if (auto const clocks = values(mine, theirs, &RecordedCase::clock); clocks.size() > 1)
    return fmt::format("timed by different clocks ({}): measure both with one revision", fmt::join(clocks, ", "));
  if (auto const devices = values(mine, theirs, &RecordedCase::device); devices.size() > 1) {
    auto const ceilings = values(mine, theirs, &RecordedCase::ceiling);
    if (*ceilings.begin() <= 0)
      return fmt::format("on different devices ({}), and it has no ceiling to take shares of",
                         fmt::join(devices, "; "));
  }
  if (auto const amounts = values(mine, theirs, &RecordedCase::amount); amounts.size() > 1)
    return fmt::format("the work is counted differently ({} and {} per repetition): measure both with one revision",
                       *amounts.begin(), *amounts.rbegin());
  return "";
}

/// Whether each of my runs has a partner that was measured in turns with it.
bool are_partners(Pair const& pair) {
  for (std::size_t r = 0; r < pair.mine.size(); ++r) {
    auto const has = [&](Side const& side) { return side[r] != nullptr && side[r]->passed(); };
    if (has(pair.mine) != has(pair.theirs)) return false;
  }
  return true;
}

/// The logarithm of the ratio of rates, from samples that were taken one after the other.
double paired_logarithm(RecordedCase const& mine, RecordedCase const& theirs) {
  std::vector<double> logs;
  for (std::size_t k = 0; k < std::min(mine.samples.size(), theirs.samples.size()); ++k)
    logs.push_back(std::log(theirs.samples[k] / mine.samples[k] * mine.amount / theirs.amount));
  return estimate(logs).median;
}

Observed observed_in_turns(Side const& mine, Side const& theirs, double scatter) {
  Observed observed{{}, std::vector<double>(mine.size(), 0.0), scatter, true};
  for (std::size_t r = 0; r < mine.size(); ++r) observed.mine.push_back(paired_logarithm(*mine[r], *theirs[r]));
  return observed;
}

std::vector<double> logarithms(Side const& side, bool of_ceiling) {
  std::vector<double> logs;
  for (RecordedCase const* const c : side) logs.push_back(std::log(of_ceiling ? c->rate() / c->ceiling : c->rate()));
  return logs;
}

/// Over all runs of both sides, the root mean square.
double scatter(Side const& mine, Side const& theirs) {
  double squares = 0;
  for (Side const* const side : {&mine, &theirs}) {
    for (RecordedCase const* const c : *side) squares += c->scatter * c->scatter;
  }
  return std::sqrt(squares / static_cast<double>(mine.size() + theirs.size()));
}

double mean_clock(Side const& side) {
  double sum = 0;
  for (RecordedCase const* const c : side) {
    if (c->multiprocessor_clock == 0) return 0;
    sum += c->multiprocessor_clock;
  }
  return sum / static_cast<double>(side.size());
}

/// My clock over theirs; 1 where one is not known.
double clock_ratio(Side const& mine, Side const& theirs) {
  double const a = mean_clock(mine), b = mean_clock(theirs);
  return a > 0 && b > 0 ? a / b : 1;
}

// ---- verdicts

/// The largest p-value that would still be a discovery if it were one more.
double p_value_needed(std::vector<ComparedCase> const& cases, double false_discoveries) {
  double tested = 0, found = 0;
  for (ComparedCase const& c : cases) {
    if (!c.measured) continue;
    ++tested;
    if (c.q <= false_discoveries) ++found;
  }
  return tested == 0 ? 0 : false_discoveries * std::min(found + 1, tested) / tested;
}

bool lies_within(std::pair<double, double> const& interval, double share) {
  return interval.first >= std::log1p(-share) && interval.second <= std::log1p(share);
}

/// What would make an unclear case clear, if ratio and spread stay as they are.
std::string next_step(Difference const& now, double p_needed, double same_within) {
  if (now.mine == 1 && now.theirs == 1) return "a second run a side would measure how far two runs lie apart";
  std::size_t const most = std::max(now.mine, now.theirs);
  for (std::size_t more = 1; most + more <= most_runs; ++more) {
    Difference const then = now.with_more_runs(more);
    if (then.p_value() <= p_needed || lies_within(then.interval(), same_within))
      return fmt::format("{} more run{} a side would decide it", more, more == 1 ? "" : "s");
  }
  return fmt::format("runs of one build differ by {:.1f} % here: find out why before you measure more",
                     100 * std::expm1(now.deviation));
}

void judge(ComparedCase& c, double p_needed, Tolerance const& tolerance) {
  std::pair<double, double> const interval = c.difference.interval();
  bool const equal = c.difference.log_ratio == 0;  // to the last digit, as a run compared with itself
  if (equal || lies_within(interval, tolerance.same_within)) {
    c.judged = Judged::same;
  } else if (c.q <= tolerance.false_discoveries) {
    c.judged = c.difference.log_ratio > 0 ? Judged::faster : Judged::slower;
  } else {
    c.judged = Judged::unclear;
    c.next_step = next_step(c.difference, p_needed, tolerance.same_within);
  }
}

/// A difference that is one of clocks: in cycles there is none.
void look_at_clocks(ComparedCase& c, double clocks, Tolerance const& tolerance) {
  if (std::abs(clocks - 1) < least_clock_difference) return;
  c.cycles_ratio = c.ratio() / clocks;
  bool const differs = c.judged == Judged::faster || c.judged == Judged::slower;
  bool const same_in_cycles = std::abs(std::log(c.cycles_ratio)) <= std::log1p(tolerance.same_within);
  if (!differs || !same_in_cycles) return;
  c.judged = Judged::not_comparable;
  c.next_step = fmt::format("clocks differ by {:.0f} %, and in cycles both are the same: set both to one clock",
                            100 * std::abs(clocks - 1));
}

/// Certainly below the limit: one-sided tests of all cases, with the same control of false ones. Whether a case is
/// below 1 has been judged.
void mark_below_limit(std::vector<ComparedCase*> const& compared, Tolerance const& tolerance) {
  std::vector<double> p_values;
  for (ComparedCase const* const c : compared)
    p_values.push_back(c->difference.p_value_below(std::log(tolerance.limit)));
  std::vector<double> const q = q_values(p_values);
  for (std::size_t i = 0; i < compared.size(); ++i)
    compared[i]->below_limit =
        compared[i]->judged == Judged::slower && (tolerance.limit == 1 || q[i] <= tolerance.false_discoveries);
}

// ---- all cases

/// What the statistics need of a case that is measured on both sides, in the order of the cases.
struct Measured {
  Observed observed;
  double clocks = 1;  ///< my clock over theirs
};

/// Puts a case where it belongs: compared, missing or added.
void match(Pair const& pair, RunComparison& result, std::vector<Measured>& measured) {
  Side const mine = passed(pair.mine), theirs = passed(pair.theirs);
  RecordedCase const* const failed = failure(pair.mine);
  if (theirs.empty()) {
    if (!mine.empty()) result.added.push_back(mine.front()->name);
    return;
  }
  if (mine.empty() && failed == nullptr) {
    result.missing.push_back(theirs.front()->name);
    return;
  }
  ComparedCase& c = result.cases.emplace_back();
  c.name = theirs.front()->name;
  c.pattern = theirs.front()->pattern;
  c.failed = failed != nullptr;
  c.next_step = c.failed ? fmt::format("{}: {}", failed->outcome, failed->reason) : why_not_comparable(mine, theirs);
  if (c.next_step.empty() && result.in_turns && !are_partners(pair))
    c.next_step = "it did not pass in every pair of runs";
  c.measured = c.next_step.empty();
  if (!c.measured) {
    c.judged = Judged::not_comparable;
    return;
  }
  if (result.in_turns) {
    measured.push_back({observed_in_turns(mine, theirs, scatter(mine, theirs)), clock_ratio(mine, theirs)});
    return;
  }
  c.of_ceiling = values(mine, theirs, &RecordedCase::device).size() > 1;
  measured.push_back({{logarithms(mine, c.of_ceiling), logarithms(theirs, c.of_ceiling), scatter(mine, theirs)},
                      c.of_ceiling ? 1 : clock_ratio(mine, theirs)});
}

/// Differences, false discoveries, verdicts.
void assess(std::vector<ComparedCase>& cases, std::vector<Measured> const& measured, Tolerance const& tolerance) {
  std::vector<Observed> observed;
  for (Measured const& m : measured) observed.push_back(m.observed);
  std::vector<Difference> const found = differences(observed);
  std::vector<double> p_values;
  for (Difference const& difference : found) p_values.push_back(difference.p_value());
  std::vector<double> const q = q_values(p_values);
  std::vector<ComparedCase*> compared;
  for (ComparedCase& c : cases) {
    if (!c.measured) continue;
    c.difference = found[compared.size()];
    c.q = q[compared.size()];
    compared.push_back(&c);
  }
  double const p_needed = p_value_needed(cases, tolerance.false_discoveries);
  for (std::size_t i = 0; i < compared.size(); ++i) {
    judge(*compared[i], p_needed, tolerance);
    look_at_clocks(*compared[i], measured[i].clocks, tolerance);
  }
  mark_below_limit(compared, tolerance);
}

// ---- facts

std::vector<std::string> values_of(std::vector<RecordedRun> const& runs, std::string const& fact) {
  std::set<std::string> all;
  for (RecordedRun const& run : runs) {
    auto const it = run.facts.find(fact);
    all.insert(it == run.facts.end() ? "" : it->second);
  }
  return {all.begin(), all.end()};
}

/// A fact of a space ("tilestride: cuda: driver") that one side does not have at all: the list of spaces says so.
bool is_of_absent_space(DifferingFact const& fact) {
  std::vector<std::string> const absent{""};
  std::size_t const program_end = fact.name.find(": ");
  bool const of_a_space =
      program_end != std::string::npos && fact.name.find(": ", program_end + 2) != std::string::npos;
  return of_a_space && (fact.mine == absent || fact.theirs == absent);
}

std::vector<DifferingFact> differing_facts(std::vector<RecordedRun> const& mine,
                                           std::vector<RecordedRun> const& theirs) {
  std::set<std::string> names;
  for (auto const* const runs : {&mine, &theirs}) {
    for (RecordedRun const& run : *runs) {
      for (auto const& [name, value] : run.facts) names.insert(name);
    }
  }
  std::vector<DifferingFact> differing;
  for (std::string const& name : names) {
    DifferingFact fact{name, values_of(mine, name), values_of(theirs, name)};
    if (is_of_absent_space(fact)) continue;
    if (fact.mine != fact.theirs || fact.mine.size() > 1) differing.push_back(std::move(fact));
  }
  return differing;
}

/// One run given twice would look like two runs that agree to the last digit.
void refuse_repeated_runs(std::vector<RecordedRun> const& runs) {
  auto const same = [](RecordedRun const& a, RecordedRun const& b) {
    auto const sampled = [](RecordedCase const& c) { return !c.samples.empty(); };
    bool const any = std::any_of(a.cases.begin(), a.cases.end(), sampled);
    return any && a.started == b.started &&
           std::equal(a.cases.begin(), a.cases.end(), b.cases.begin(), b.cases.end(),
                      [](RecordedCase const& x, RecordedCase const& y) { return x.samples == y.samples; });
  };
  for (std::size_t i = 0; i < runs.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (same(runs[i], runs[j]))
        throw std::runtime_error(
            fmt::format("{} and {} are one run: each must be measured", runs[j].file, runs[i].file));
    }
  }
}

}  // namespace

std::string_view name_of(Judged judged) {
  switch (judged) {
    case Judged::faster: return "faster";
    case Judged::slower: return "slower";
    case Judged::same: return "same";
    case Judged::unclear: return "unclear";
    case Judged::not_comparable: return "not comparable";
  }
  return {};
}

double ComparedCase::ratio() const { return std::exp(difference.log_ratio); }

std::pair<double, double> ComparedCase::interval() const {
  auto const [low, high] = difference.interval();
  return {std::exp(low), std::exp(high)};
}

namespace {

RunComparison compare_all(std::vector<RecordedRun> mine, std::vector<RecordedRun> theirs, Tolerance const& tolerance,
                          bool in_turns) {
  RunComparison result;
  result.in_turns = in_turns;
  result.mine = std::move(mine);
  result.theirs = std::move(theirs);
  result.facts = differing_facts(result.mine, result.theirs);
  Pairs const pairs(result.mine, result.theirs);
  std::vector<Measured> measured;
  for (Pair const& pair : pairs.all()) match(pair, result, measured);
  assess(result.cases, measured, tolerance);
  return result;
}

}  // namespace

RunComparison compare(std::vector<RecordedRun> mine, std::vector<RecordedRun> theirs, Tolerance const& tolerance) {
  refuse_repeated_runs(mine);
  refuse_repeated_runs(theirs);
  return compare_all(std::move(mine), std::move(theirs), tolerance, false);
}

RunComparison compare_in_turns(std::vector<RecordedRun> mine, std::vector<RecordedRun> theirs,
                               Tolerance const& tolerance) {
  return compare_all(std::move(mine), std::move(theirs), tolerance, true);
}

std::vector<PatternMean> pattern_means(RunComparison const& comparison) {
  std::map<std::string, std::pair<double, std::size_t>> sums;
  for (ComparedCase const& c : comparison.cases) {
    if (!c.measured) continue;
    auto& [sum, count] = sums[c.pattern];
    sum += c.difference.log_ratio;
    ++count;
  }
  std::vector<PatternMean> means;
  for (auto const& [pattern, of] : sums)
    means.push_back({pattern, std::exp(of.first / static_cast<double>(of.second)), of.second});
  return means;
}

}  // namespace tilestride
