// SPDX-License-Identifier: BSD-3-Clause

// Two programs measured in turns: what disturbs both at once must not be taken for a difference, nor hide one.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "compare/comparison.hpp"
#include "compare/recorded.hpp"
#include "model/statistics.hpp"

namespace tilestride {
namespace {

constexpr int cases = 40, pairs = 5, rounds = 25;

/// A case whose k-th sample is disturbed by the k-th disturbance.
RecordedCase disturbed_case(std::string const& name, double seconds, std::vector<double> const& disturbances) {
  RecordedCase c = recorded(name, seconds);
  c.samples.clear();
  for (double const disturbance : disturbances) c.samples.push_back(seconds * disturbance);
  Estimate const time = estimate(c.samples);
  c.seconds = time.median;
  c.scatter = (time.high - time.low) / (2 * 1.96) / time.median;
  return c;
}

struct Sides {
  std::vector<RecordedRun> mine, theirs;
};

/// Both sides meet the same disturbances of 20 % and more; in addition each sample has noise of its own of 0.2 %. Every
/// tenth case of mine is `slower` times as slow.
Sides measured_beside_a_load(double slower, std::uint64_t seed) {
  Random random(seed);
  Sides sides;
  for (int pair = 0; pair < pairs; ++pair) {
    RecordedRun& mine = sides.mine.emplace_back(made_up_run("mine" + std::to_string(pair), {}));
    RecordedRun& theirs = sides.theirs.emplace_back(made_up_run("theirs" + std::to_string(pair), {}));
    for (int c = 0; c < cases; ++c) {
      double const process = std::exp(0.1 * random.normal());  // of this pair: a clock, a neighbour
      std::vector<double> a, b;
      for (int round = 0; round < rounds; ++round) {
        double const both = process * std::exp(0.2 * std::abs(random.normal()));
        a.push_back(both * std::exp(0.002 * random.normal()));
        b.push_back(both * std::exp(0.002 * random.normal()));
      }
      std::string const name = "made/case" + std::to_string(c);
      mine.cases.push_back(disturbed_case(name, c % 10 == 0 ? 1e-3 * slower : 1e-3, a));
      theirs.cases.push_back(disturbed_case(name, 1e-3, b));
    }
  }
  return sides;
}

TEST(InTurns, FindsADifferenceBesideLargerDisturbances) {
  Sides const sides = measured_beside_a_load(1.02, 1);
  for (ComparedCase const& c : compare_in_turns(sides.mine, sides.theirs, {}).cases) {
    bool const planted = c.name.back() == '0';  // case0, case10, …
    EXPECT_EQ(c.judged, planted ? Judged::slower : Judged::same) << c.name;
    EXPECT_NEAR(c.ratio(), planted ? 1 / 1.02 : 1, 0.002) << c.name;
    auto const [low, high] = c.interval();
    EXPECT_LT(low, c.ratio());
    EXPECT_GT(high, c.ratio());
  }
}

TEST(InTurns, NeedsThePairsForIt) {
  Sides const sides = measured_beside_a_load(1.02, 1);
  auto const unpaired = compare(sides.mine, sides.theirs, {}).cases;
  auto const sure = std::count_if(unpaired.begin(), unpaired.end(), [](ComparedCase const& c) {
    return c.judged == Judged::slower || c.judged == Judged::faster;
  });
  EXPECT_EQ(sure, 0);
}

TEST(InTurns, CountsAPairOfProcessesAsOneObservation) {
  Sides const sides = measured_beside_a_load(1, 2);
  RunComparison const comparison = compare_in_turns(sides.mine, sides.theirs, {});
  for (ComparedCase const& c : comparison.cases) {
    EXPECT_TRUE(c.difference.paired);
    EXPECT_GE(c.difference.degrees, pairs - 1);  // and what all cases have in common
    EXPECT_EQ(c.difference.with_more_runs(3).degrees, c.difference.degrees + 3);
  }
}

TEST(InTurns, ComparesOnlyWhatPassedInEveryPair) {
  Sides sides = measured_beside_a_load(1, 3);
  sides.theirs[2].cases[7] = RecordedCase{"made/case7", "made", "error", "died", "one GPU", "", "", 0, 0, 0, 0, 0, {}};
  RunComparison const comparison = compare_in_turns(sides.mine, sides.theirs, {});
  auto const it = std::find_if(comparison.cases.begin(), comparison.cases.end(),
                               [](ComparedCase const& c) { return c.name == "made/case7"; });
  ASSERT_NE(it, comparison.cases.end());
  EXPECT_EQ(it->judged, Judged::not_comparable);
  EXPECT_NE(it->next_step.find("in every pair"), std::string::npos) << it->next_step;
}

}  // namespace
}  // namespace tilestride
