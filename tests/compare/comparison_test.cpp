// SPDX-License-Identifier: BSD-3-Clause
#include "compare/comparison.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iostream>
#include <stdexcept>

#include "compare/recorded.hpp"

namespace tilestride {
namespace {

/// A case by its seconds in every run of each side; 0: that run does not have it.
struct Timed {
  std::string name;
  std::vector<double> mine, theirs;
};

using Change = std::function<void(RecordedCase&)>;

std::vector<RecordedRun> side_of(std::string const& side, std::vector<Timed> const& cases,
                                 std::vector<double> Timed::*seconds, Change const& change) {
  std::vector<RecordedRun> runs;
  for (std::size_t r = 0; r < (cases.front().*seconds).size(); ++r) {
    RecordedRun& run = runs.emplace_back(made_up_run(side + std::to_string(r), {}));
    for (Timed const& timed : cases) {
      if ((timed.*seconds)[r] == 0) continue;
      run.cases.push_back(recorded(timed.name, (timed.*seconds)[r]));
      if (change) change(run.cases.back());
    }
  }
  return runs;
}

std::vector<RecordedRun> mine_of(std::vector<Timed> const& cases, Change const& change = {}) {
  return side_of("mine", cases, &Timed::mine, change);
}
std::vector<RecordedRun> theirs_of(std::vector<Timed> const& cases, Change const& change = {}) {
  return side_of("theirs", cases, &Timed::theirs, change);
}

RunComparison compared(std::vector<Timed> const& cases, Tolerance const& tolerance = {}) {
  return compare(mine_of(cases), theirs_of(cases), tolerance);
}

ComparedCase only_case(RunComparison const& comparison) {
  EXPECT_EQ(comparison.cases.size(), 1u);
  return comparison.cases.empty() ? ComparedCase() : comparison.cases.front();
}

bool holds(std::string const& text, std::string const& part) { return text.find(part) != std::string::npos; }

/// One case of two or more runs a side whose rates differ by this logarithm and that has this deviation between runs.
Timed with_deviation(double log_ratio, double deviation, std::size_t runs = 2) {
  Timed timed{"made/up", {}, {}};
  // n numbers at equal distances have n (n + 1) / 12 times the squared distance as their variance.
  double const n = static_cast<double>(runs), step = deviation / std::sqrt(n * (n + 1) / 12);
  for (std::size_t r = 0; r < runs; ++r) {
    double const off = step * (static_cast<double>(r) - (n - 1) / 2);
    timed.mine.push_back(std::exp(off - log_ratio));
    timed.theirs.push_back(std::exp(off));
  }
  return timed;
}

// ---- verdicts

TEST(Comparison, HasAWordForEachVerdict) {
  EXPECT_EQ(name_of(Judged::faster), "faster");
  EXPECT_EQ(name_of(Judged::slower), "slower");
  EXPECT_EQ(name_of(Judged::same), "same");
  EXPECT_EQ(name_of(Judged::unclear), "unclear");
  EXPECT_EQ(name_of(Judged::not_comparable), "not comparable");
}

TEST(Comparison, JudgesEachCase) {
  RunComparison const comparison = compared({{"a/faster", {1.000, 1.001, 0.999}, {2.000, 2.002, 1.998}},
                                             {"a/slower", {2.000, 2.002, 1.998}, {1.000, 1.001, 0.999}},
                                             {"a/same", {1.0000, 1.0001, 0.9999}, {1.0001, 0.9999, 1.0000}},
                                             {"a/unclear", {1.0, 1.1, 1.2}, {1.05, 1.15, 1.25}}});
  ASSERT_EQ(comparison.cases.size(), 4u);
  std::vector<Judged> const expected{Judged::faster, Judged::slower, Judged::same, Judged::unclear};
  std::vector<std::string> const names{"a/faster", "a/slower", "a/same", "a/unclear"};
  for (std::size_t i = 0; i < 4; ++i) {
    SCOPED_TRACE(names[i]);
    ComparedCase const& c = comparison.cases[i];
    EXPECT_EQ(c.name, names[i]);
    EXPECT_EQ(c.pattern, "a");
    EXPECT_EQ(name_of(c.judged), name_of(expected[i]));
    EXPECT_TRUE(c.measured);
    EXPECT_FALSE(c.failed);
    EXPECT_FALSE(c.of_ceiling);
    EXPECT_EQ(c.cycles_ratio, 0);
    EXPECT_EQ(c.next_step.empty(), c.judged != Judged::unclear);
    EXPECT_LT(c.interval().first, c.ratio());
    EXPECT_GT(c.interval().second, c.ratio());
  }
  EXPECT_NEAR(comparison.cases[0].ratio(), 2, 1e-12);  // twice the rate, in half the time
  EXPECT_NEAR(comparison.cases[1].ratio(), 0.5, 1e-12);
  EXPECT_TRUE(comparison.missing.empty());
  EXPECT_TRUE(comparison.added.empty());
  EXPECT_FALSE(comparison.one_run_a_side());
}

TEST(Comparison, TakesRatesAndNotTimes) {
  // Twice the work in every run of both sides changes no ratio.
  std::vector<Timed> const cases{{"a/b", {1.0, 1.01}, {2.0, 2.02}}};
  Change const doubled = [](RecordedCase& c) { c.amount *= 2; };
  EXPECT_NEAR(only_case(compare(mine_of(cases, doubled), theirs_of(cases, doubled), {})).ratio(),
              only_case(compared(cases)).ratio(), 1e-12);
}

TEST(Comparison, SaysSameWithinWhatIsOfNoInterest) {
  std::vector<Timed> const cases{with_deviation(0.02, 0.0001)};
  EXPECT_EQ(only_case(compared(cases)).judged, Judged::faster);
  Tolerance wide;
  wide.same_within = 0.03;
  EXPECT_EQ(only_case(compared(cases, wide)).judged, Judged::same);
  Tolerance none;
  none.same_within = 0;
  EXPECT_EQ(only_case(compared({with_deviation(0.001, 0.00001)}, none)).judged, Judged::faster);
}

TEST(Comparison, SaysNothingOfOneRunASideAndFewCases) {
  RunComparison const comparison = compared({{"a/b", {1}, {2}}, {"a/c", {1}, {1.001}}});
  EXPECT_TRUE(comparison.one_run_a_side());
  for (ComparedCase const& c : comparison.cases) {
    EXPECT_EQ(c.judged, Judged::unclear);
    EXPECT_EQ(c.q, 1);
    EXPECT_EQ(c.next_step, "a second run a side would measure how far two runs lie apart");
  }
}

TEST(Comparison, FindsALargeDifferenceAmongManyCasesOfOneRunASide) {
  std::vector<Timed> cases;
  for (int i = 0; i < 200; ++i) cases.push_back({"a/" + std::to_string(i), {1 + 0.001 * std::sin(i)}, {1}});
  cases.push_back({"a/slow", {2}, {1}});
  RunComparison const comparison = compared(cases);
  for (ComparedCase const& c : comparison.cases)
    EXPECT_EQ(c.judged == Judged::slower, c.name == "a/slow") << c.name << name_of(c.judged);
}

TEST(Comparison, OfARunWithItselfFindsAllTheSame) {
  std::vector<Timed> const cases{{"a/b", {1, 1.5, 3}, {}}, {"a/c", {2, 1, 5}, {}}, {"a/d", {1, 1, 1}, {}}};
  for (std::size_t const runs : {1, 2, 3}) {
    std::vector<RecordedRun> some = mine_of(cases);
    some.resize(runs);
    RunComparison const comparison = compare(some, some, {});
    ASSERT_EQ(comparison.cases.size(), 3u);
    for (ComparedCase const& c : comparison.cases) {
      EXPECT_EQ(c.judged, Judged::same);
      EXPECT_EQ(c.ratio(), 1);
      EXPECT_FALSE(c.below_limit);
    }
    EXPECT_TRUE(comparison.facts.empty());
  }
}

TEST(Comparison, OfNothingIsEmpty) {
  RunComparison const comparison = compare({made_up_run("a", {})}, {made_up_run("b", {})}, {});
  EXPECT_TRUE(comparison.cases.empty());
  EXPECT_TRUE(comparison.missing.empty());
  EXPECT_TRUE(comparison.added.empty());
  EXPECT_TRUE(pattern_means(comparison).empty());
}

// ---- what to do next

TEST(NextStep, SaysHowManyMoreRunsWouldDecide) {
  // By scipy.stats.t: the fewest more runs of each side with which Student's test of the same ratio and deviation has
  // p <= 0.05, or its 95 % interval lies within 1 %.
  struct Expected {
    double log_ratio, deviation;
    std::size_t runs;
    std::string words;
  };
  for (Expected const& expected : std::vector<Expected>{{0.05, 0.02, 2, "1 more run a side would decide it"},
                                                        {0.05, 0.03, 2, "3 more runs a side would decide it"},
                                                        {0.05, 0.05, 2, "7 more runs a side would decide it"},
                                                        {0.02, 0.01, 2, "2 more runs a side would decide it"},
                                                        {0.02, 0.02, 3, "6 more runs a side would decide it"},
                                                        {0.03, 0.04, 3, "12 more runs a side would decide it"},
                                                        {1e-09, 0.008, 2, "5 more runs a side would decide it"}}) {
    SCOPED_TRACE(expected.words);
    ComparedCase const c = only_case(compared({with_deviation(expected.log_ratio, expected.deviation, expected.runs)}));
    EXPECT_NEAR(c.difference.deviation, expected.deviation, 1e-12);
    EXPECT_EQ(c.judged, Judged::unclear);
    EXPECT_EQ(c.next_step, expected.words);
  }
}

TEST(NextStep, AsksForMoreRunsWhereManyCasesAreTested) {
  // Among nine cases without a discovery, the first one needs p <= 0.05 / 9.
  std::vector<Timed> cases{with_deviation(0.05, 0.02)};
  std::string const alone = only_case(compared(cases)).next_step;
  for (int i = 1; i < 9; ++i) {  // still too few for a common spread
    cases.push_back(with_deviation(0, 0.02));
    cases.back().name += std::to_string(i);
  }
  std::string const among_nine = compared(cases).cases.front().next_step;
  EXPECT_EQ(alone, "1 more run a side would decide it");
  EXPECT_EQ(among_nine, "3 more runs a side would decide it");
}

TEST(NextStep, AsksForFewerRunsWhereManyDiscoveriesAreMade) {
  // With eight discoveries among nine cases, the ninth needs p <= 0.05 x 9 / 9, as if it were alone.
  std::vector<Timed> cases{with_deviation(0.05, 0.02)};
  for (int i = 1; i < 9; ++i) {
    cases.push_back(with_deviation(0.5, 0.001));
    cases.back().name += std::to_string(i);
  }
  EXPECT_EQ(compared(cases).cases.front().next_step, "1 more run a side would decide it");
}

TEST(NextStep, GivesUpWhereNobodyWouldMeasureSoOften) {
  // 40 runs or more would be needed.
  ComparedCase const c = only_case(compared({with_deviation(0.015, 0.05)}));
  EXPECT_EQ(c.next_step, "runs of one build differ by 5.1 % here: find out why before you measure more");
}

// ---- clocks

TEST(Clocks, ThatDifferExplainADifference) {
  std::vector<Timed> const cases{{"a/b", {1.08 * 1.000, 1.08 * 1.001}, {1.001, 1.000}}};
  auto const at = [](double clock) { return [=](RecordedCase& c) { c.multiprocessor_clock = clock; }; };
  ComparedCase const slow = only_case(compare(mine_of(cases, at(1980 / 1.08)), theirs_of(cases, at(1980)), {}));
  EXPECT_EQ(slow.judged, Judged::not_comparable);
  EXPECT_TRUE(holds(slow.next_step, "clocks differ by 7 %")) << slow.next_step;  // 1 - 1 / 1.08
  EXPECT_NEAR(slow.cycles_ratio, 1, 1e-9);
  EXPECT_TRUE(slow.measured);
  EXPECT_FALSE(slow.below_limit);
  std::vector<Timed> const faster{{"a/b", {1.001, 1.000}, {1.08 * 1.000, 1.08 * 1.001}}};
  ComparedCase const fast = only_case(compare(mine_of(faster, at(1.08 * 1830)), theirs_of(faster, at(1830)), {}));
  EXPECT_EQ(fast.judged, Judged::not_comparable);
  EXPECT_TRUE(holds(fast.next_step, "clocks differ by 8 %")) << fast.next_step;
}

TEST(Clocks, ThatDifferDoNotExplainALargerDifference) {
  std::vector<Timed> const cases{{"a/b", {1.3, 1.301}, {1.001, 1.000}}};
  auto const at = [](double clock) { return [=](RecordedCase& c) { c.multiprocessor_clock = clock; }; };
  ComparedCase const c = only_case(compare(mine_of(cases, at(1800)), theirs_of(cases, at(2000)), {}));
  EXPECT_EQ(c.judged, Judged::slower);
  EXPECT_NEAR(c.cycles_ratio, std::sqrt(1.0 * 1.001 / 1.3 / 1.301) / 0.9, 1e-12);
}

TEST(Clocks, ThatDifferLeaveEqualTimesTheSame) {
  // Memory bound: the time is the same, though in cycles it is not.
  std::vector<Timed> const cases{{"a/b", {1.0001, 1.0000}, {1.0000, 1.0001}}};
  auto const at = [](double clock) { return [=](RecordedCase& c) { c.multiprocessor_clock = clock; }; };
  ComparedCase const c = only_case(compare(mine_of(cases, at(1800)), theirs_of(cases, at(2000)), {}));
  EXPECT_EQ(c.judged, Judged::same);
  EXPECT_NEAR(c.cycles_ratio, 1 / 0.9, 1e-9);
}

TEST(Clocks, ThatAgreeOrAreUnknownChangeNothing) {
  std::vector<Timed> const cases{{"a/b", {1.08 * 1.000, 1.08 * 1.001}, {1.001, 1.000}}};
  auto const at = [](double clock) { return [=](RecordedCase& c) { c.multiprocessor_clock = clock; }; };
  for (auto const& [mine, theirs] :
       {std::pair(1980, 1980), std::pair(1980, 1965), std::pair(0, 1980), std::pair(1830, 0), std::pair(0, 0)}) {
    ComparedCase const c = only_case(compare(mine_of(cases, at(mine)), theirs_of(cases, at(theirs)), {}));
    EXPECT_EQ(c.judged, Judged::slower) << mine << " and " << theirs;
    EXPECT_EQ(c.cycles_ratio, 0);
  }
}

// ---- what cannot be set beside each other

TEST(Devices, ThatDifferAreComparedByTheirSharesOfTheCeiling) {
  std::vector<Timed> const cases{{"a/b", {1.000, 1.001}, {2.002, 2.000}}, {"a/c", {1.000, 1.001}, {1.001, 1.000}}};
  auto const on = [](std::string const& device, double ceiling) {
    return [=](RecordedCase& c) {
      c.device = device;
      c.ceiling = ceiling;
      c.multiprocessor_clock = ceiling / 1e6;  // of different devices they say nothing
    };
  };
  RunComparison const comparison = compare(mine_of(cases, on("a new GPU", 4e9)), theirs_of(cases, on("old", 2e9)), {});
  ASSERT_EQ(comparison.cases.size(), 2u);
  for (ComparedCase const& c : comparison.cases) {
    EXPECT_TRUE(c.of_ceiling);
    EXPECT_TRUE(c.measured);
    EXPECT_EQ(c.cycles_ratio, 0);
  }
  EXPECT_EQ(comparison.cases[0].judged, Judged::same);  // twice the rate of twice the ceiling
  EXPECT_NEAR(comparison.cases[0].ratio(), 1, 1e-9);
  EXPECT_EQ(comparison.cases[1].judged, Judged::slower);  // half the share at the same rate
  EXPECT_NEAR(comparison.cases[1].ratio(), 0.5, 1e-9);
}

TEST(Devices, ThatDifferCannotBeComparedWithoutACeiling) {
  std::vector<Timed> const cases{{"a/b", {1, 1}, {1, 1}}};
  auto const on = [](std::string const& device, double ceiling) {
    return [=](RecordedCase& c) {
      c.device = device;
      c.ceiling = ceiling;
    };
  };
  for (auto const& [mine, theirs] : {std::pair(0.0, 0.0), std::pair(0.0, 1e9), std::pair(1e9, 0.0)}) {
    ComparedCase const c = only_case(compare(mine_of(cases, on("new", mine)), theirs_of(cases, on("old", theirs)), {}));
    EXPECT_EQ(c.judged, Judged::not_comparable);
    EXPECT_FALSE(c.measured);
    EXPECT_FALSE(c.failed);
    EXPECT_TRUE(holds(c.next_step, "new; old") && holds(c.next_step, "no ceiling")) << c.next_step;
  }
}

TEST(Comparison, IsNoneOfOtherClocksOrOtherWork) {
  std::vector<Timed> const cases{{"a/b", {1, 1}, {1, 1}}};
  Change const by_host = [](RecordedCase& c) { c.clock = "steady_clock"; };
  ComparedCase const clock = only_case(compare(mine_of(cases, by_host), theirs_of(cases), {}));
  EXPECT_EQ(clock.judged, Judged::not_comparable);
  EXPECT_FALSE(clock.measured);
  EXPECT_TRUE(holds(clock.next_step, "events, steady_clock")) << clock.next_step;
  Change const more_work = [](RecordedCase& c) { c.amount = 2e9; };
  ComparedCase const work = only_case(compare(mine_of(cases), theirs_of(cases, more_work), {}));
  EXPECT_EQ(work.judged, Judged::not_comparable);
  EXPECT_FALSE(work.measured);
  EXPECT_TRUE(holds(work.next_step, "counted differently (1000000000 and 2000000000")) << work.next_step;
}

TEST(Comparison, IsNoneWhereOneRunOfASideDiffers) {
  std::vector<Timed> const cases{{"a/b", {1, 1.01}, {1, 1.01}}};
  std::vector<RecordedRun> mine = mine_of(cases);
  mine[1].cases[0].clock = "steady_clock";
  EXPECT_EQ(only_case(compare(mine, theirs_of(cases), {})).judged, Judged::not_comparable);
}

TEST(Comparison, OfWhatCannotBeComparedTellsNothingOfTheOthers) {
  std::vector<Timed> cases{with_deviation(0.05, 0.001)};
  ComparedCase const alone = only_case(compared(cases));
  cases.push_back({"a/other clock", {1, 5}, {1, 7}});
  RunComparison const comparison = compare(
      mine_of(cases, [](RecordedCase& c) { c.clock = c.pattern == "a" ? "other" : c.clock; }), theirs_of(cases), {});
  ASSERT_EQ(comparison.cases.size(), 2u);
  EXPECT_EQ(comparison.cases[0].q, alone.q);
  EXPECT_EQ(comparison.cases[0].difference.deviation, alone.difference.deviation);
}

// ---- what is not on both sides

TEST(Comparison, NamesWhatIsMissingAndWhatIsNew) {
  RunComparison const comparison = compared({{"a/both", {1, 1.01}, {1, 1.01}},
                                             {"a/gone", {0, 0}, {1, 1}},
                                             {"a/new", {1, 1}, {0, 0}},
                                             {"a/in some", {0, 1}, {1, 0}}});
  EXPECT_EQ(comparison.missing, std::vector<std::string>{"a/gone"});
  EXPECT_EQ(comparison.added, std::vector<std::string>{"a/new"});
  ASSERT_EQ(comparison.cases.size(), 2u);
  for (ComparedCase const& c : comparison.cases) EXPECT_TRUE(c.measured) << c.name;
  for (ComparedCase const& c : comparison.cases) {
    std::size_t const runs = c.name == "a/both" ? 2 : 1;
    EXPECT_EQ(c.difference.mine, runs);
    EXPECT_EQ(c.difference.theirs, runs);
  }
}

TEST(Comparison, CountsSkippedAndUnrunCasesAsMissing) {
  std::vector<Timed> const cases{{"a/b", {1, 1}, {1, 1}}};
  for (std::string const outcome : {"skipped", "not run"}) {
    Change const change = [&](RecordedCase& c) { c.outcome = outcome; };
    RunComparison const missing = compare(mine_of(cases, change), theirs_of(cases), {});
    EXPECT_TRUE(missing.cases.empty());
    EXPECT_EQ(missing.missing, std::vector<std::string>{"a/b"});
    RunComparison const added = compare(mine_of(cases), theirs_of(cases, change), {});
    EXPECT_TRUE(added.cases.empty());
    EXPECT_EQ(added.added, std::vector<std::string>{"a/b"});
    RunComparison const neither = compare(mine_of(cases, change), theirs_of(cases, change), {});
    EXPECT_TRUE(neither.cases.empty() && neither.missing.empty() && neither.added.empty());
  }
}

TEST(Comparison, CallsFailedWhatWentWrongInOneOfMine) {
  std::vector<Timed> const cases{{"a/b", {1, 1, 1}, {1, 1, 1}}};
  for (std::string const outcome : {"FAILED", "error"}) {
    for (std::size_t const wrong : {1, 3}) {  // runs of mine
      std::vector<RecordedRun> mine = mine_of(cases);
      for (std::size_t r = 0; r < wrong; ++r) {
        mine[2 - r].cases[0].outcome = outcome;
        mine[2 - r].cases[0].reason = "a wrong element";
      }
      ComparedCase const c = only_case(compare(mine, theirs_of(cases), {}));
      EXPECT_TRUE(c.failed);
      EXPECT_FALSE(c.measured);
      EXPECT_EQ(c.judged, Judged::not_comparable);
      EXPECT_EQ(c.next_step, outcome + ": a wrong element");
    }
  }
}

TEST(Comparison, TakesTheRunsOfTheirsThatPassed) {
  std::vector<Timed> const cases{{"a/b", {1, 1.01, 1.02}, {1, 1.01, 1.02}}};
  std::vector<RecordedRun> theirs = theirs_of(cases);
  theirs[0].cases[0].outcome = "FAILED";
  ComparedCase const c = only_case(compare(mine_of(cases), theirs, {}));
  EXPECT_TRUE(c.measured);
  EXPECT_FALSE(c.failed);
  EXPECT_EQ(c.difference.theirs, 2u);
}

TEST(Comparison, KeepsTheOrderOfTheDocuments) {
  RunComparison const comparison = compared({{"z/1", {1, 1.1}, {1, 1.1}}, {"a/2", {1, 1.1}, {1, 1.1}}});
  ASSERT_EQ(comparison.cases.size(), 2u);
  EXPECT_EQ(comparison.cases[0].name, "z/1");
  EXPECT_EQ(comparison.cases[1].name, "a/2");
}

TEST(Comparison, RefusesARunThatIsGivenTwice) {
  std::vector<Timed> const cases{{"a/b", {1, 1.01}, {1, 1.01}}};
  std::vector<RecordedRun> twice = mine_of(cases);
  twice[1] = twice[0];
  twice[1].file = "copy";
  for (bool const in_mine : {true, false}) {
    try {
      in_mine ? compare(twice, theirs_of(cases), {}) : compare(mine_of(cases), twice, {});
      FAIL() << "it took one run for two";
    } catch (std::runtime_error const& problem) {
      EXPECT_TRUE(holds(problem.what(), "mine0") && holds(problem.what(), "copy")) << problem.what();
    }
  }
  twice[1].started = "later";  // on a machine that is so steady
  EXPECT_NO_THROW(compare(twice, theirs_of(cases), {}));
}

TEST(Comparison, TakesRunsThatMeasuredNothing) {
  std::vector<Timed> const cases{{"a/b", {1, 1}, {1, 1}}};
  std::vector<RecordedRun> mine = mine_of(cases, [](RecordedCase& c) {
    c.outcome = "skipped";
    c.samples.clear();
  });
  mine[1].started = mine[0].started;  // in the same second
  EXPECT_NO_THROW(compare(mine, theirs_of(cases), {}));
}

// ---- facts

TEST(Facts, AreToldWhereTheyDifferBetweenOrWithinSides) {
  std::vector<Timed> const cases{{"a/b", {1, 1.01}, {1, 1.01}}};
  std::vector<RecordedRun> mine = mine_of(cases), theirs = theirs_of(cases);
  for (RecordedRun& run : mine) run.facts = {{"cpu", "one"}, {"tilestride: compiler", "GNU 13"}, {"only", ""}};
  for (RecordedRun& run : theirs) run.facts = {{"cpu", "one"}, {"tilestride: compiler", "GNU 14"}, {"only", ""}};
  for (auto* const runs : {&mine, &theirs}) {
    (*runs)[0].facts["load"] = "low";
    (*runs)[1].facts["load"] = "high";
  }
  theirs[0].facts["OMP_PLACES"] = "cores";
  theirs[1].facts["OMP_PLACES"] = "cores";
  RunComparison const comparison = compare(mine, theirs, {});
  using Values = std::vector<std::string>;
  std::vector<std::string> names;
  for (DifferingFact const& fact : comparison.facts) {
    names.push_back(fact.name);
    if (fact.name == "load") {
      EXPECT_EQ(fact.mine, (Values{"high", "low"}));
      EXPECT_EQ(fact.theirs, (Values{"high", "low"}));
    } else if (fact.name == "tilestride: compiler") {
      EXPECT_EQ(fact.mine, Values{"GNU 13"});
      EXPECT_EQ(fact.theirs, Values{"GNU 14"});
    } else {
      EXPECT_EQ(fact.mine, Values{""});
      EXPECT_EQ(fact.theirs, Values{"cores"});
    }
  }
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (Values{"OMP_PLACES", "load", "tilestride: compiler"}));
}

TEST(Facts, OfASpaceThatOneSideLacksAreNotToldOneByOne) {
  std::vector<Timed> const cases{{"a/b", {1}, {1}}};
  std::vector<RecordedRun> mine = mine_of(cases), theirs = theirs_of(cases);
  mine[0].facts = {{"tilestride: cuda: driver", "580"}, {"spaces measured", "cuda, openmp"}};
  theirs[0].facts = {{"spaces measured", "openmp"}};
  RunComparison const comparison = compare(mine, theirs, {});
  ASSERT_EQ(comparison.facts.size(), 1u);
  EXPECT_EQ(comparison.facts[0].name, "spaces measured");
  theirs[0].facts["tilestride: cuda: driver"] = "570";
  EXPECT_EQ(compare(mine, theirs, {}).facts.size(), 2u);
}

// ---- the gate

TEST(Limit, MarksOnlyWhatIsCertainlyBelow) {
  Tolerance tolerance;
  tolerance.limit = 0.95;
  auto const marked = [&](double ratio, double deviation) {
    return only_case(compared({with_deviation(std::log(ratio), deviation, 3)}, tolerance));
  };
  EXPECT_TRUE(marked(0.90, 0.001).below_limit);
  EXPECT_FALSE(marked(0.90, 0.1).below_limit);
  EXPECT_FALSE(marked(0.97, 0.001).below_limit);  // slower, and not by so much
  EXPECT_EQ(marked(0.97, 0.001).judged, Judged::slower);
  EXPECT_FALSE(marked(0.949, 0.005).below_limit);  // below, and not certainly
  EXPECT_EQ(marked(0.949, 0.005).judged, Judged::slower);
  EXPECT_FALSE(marked(1.2, 0.001).below_limit);
  tolerance.limit = 1;
  EXPECT_TRUE(marked(0.97, 0.001).below_limit);
  EXPECT_FALSE(marked(0.995, 0.0001).below_limit);  // of no interest
}

TEST(Limit, OfOneMarksWhatIsCalledSlowerAlsoAmongManyFasterOnes) {
  // The p-value of the slower one suffices among discoveries in both directions.
  std::vector<Timed> cases;
  for (int i = 0; i < 8; ++i) {
    cases.push_back(with_deviation(0.5, 0.001, 3));
    cases.back().name = "a/faster" + std::to_string(i);
  }
  cases.push_back(with_deviation(-0.05, 0.02, 3));
  ComparedCase const slower = compared(cases).cases.back();
  ASSERT_EQ(slower.judged, Judged::slower) << slower.q;
  EXPECT_TRUE(slower.below_limit);
}

// ---- many cases

TEST(Discoveries, AreRareWhereNothingDiffers) {
  // Normal noise of one deviation for each case. Every discovery is false: at most 5 % of the comparisons may have one.
  Tolerance every;  // also the smallest difference is of interest
  every.same_within = 0;
  for (std::size_t const runs : {1, 2, 3}) {
    int with_any = 0;
    for (std::uint64_t draw = 0; draw < 20; ++draw) {
      Random random(draw);
      std::vector<Timed> cases;
      for (int i = 0; i < 300; ++i) {
        Timed& timed = cases.emplace_back(Timed{"a/" + std::to_string(i), {}, {}});
        double const deviation = 0.005 * std::exp(0.5 * random.normal());
        for (auto* const side : {&timed.mine, &timed.theirs}) {
          for (std::size_t r = 0; r < runs; ++r) side->push_back(std::exp(deviation * random.normal()));
        }
      }
      RunComparison const comparison = compared(cases, every);
      if (std::any_of(comparison.cases.begin(), comparison.cases.end(),
                      [](ComparedCase const& c) { return c.judged == Judged::faster || c.judged == Judged::slower; }))
        ++with_any;
    }
    std::cout << runs << " runs a side: " << with_any << " of 20 comparisons have a discovery\n";
    EXPECT_LE(with_any, 3) << runs;  // more than 3 of 20 with 5 % each have a probability of 1.6 %
  }
}

// ---- means

TEST(PatternMeans, AreGeometric) {
  std::vector<Timed> const cases{{"b/half", {2, 2}, {1, 1}},
                                 {"b/eight times", {1, 1}, {8, 8}},
                                 {"a/one", {3, 3}, {1.5, 1.5}},
                                 {"a/not on both sides", {1, 1}, {0, 0}},
                                 {"c/other clock", {1, 1}, {9, 9}}};
  std::vector<PatternMean> const means = pattern_means(compare(
      mine_of(cases), theirs_of(cases, [](RecordedCase& c) { c.clock = c.pattern == "c" ? "x" : c.clock; }), {}));
  ASSERT_EQ(means.size(), 2u);
  EXPECT_EQ(means[0].pattern, "a");
  EXPECT_EQ(means[0].cases, 1u);
  EXPECT_NEAR(means[0].ratio, 0.5, 1e-12);
  EXPECT_EQ(means[1].pattern, "b");
  EXPECT_EQ(means[1].cases, 2u);
  EXPECT_NEAR(means[1].ratio, 2, 1e-12);  // the root of a half times eight
}

}  // namespace
}  // namespace tilestride
