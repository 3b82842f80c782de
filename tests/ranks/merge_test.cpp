// SPDX-License-Identifier: BSD-3-Clause
#include "ranks/merge.hpp"

#include <gtest/gtest.h>

#include "measure/group.hpp"
#include "ranks/made_up_ranks.hpp"

namespace tilestride {
namespace {

class Merge : public testing::Test {
 protected:
  Result of_rank(std::vector<double> samples) const { return passed(plan_.cases.front(), std::move(samples), 10); }
  Result wrong(Outcome outcome, std::string reason) const {
    return without_figure(plan_.cases.front(), outcome, std::move(reason));
  }
  static Result all(std::vector<Result> const& results, bool one_by_one = false) {
    return merged({results.begin(), results.end()}, made_up_ranks(results.size()), one_by_one);
  }

  Plan plan_ = one_case();
};

TEST_F(Merge, EachSampleIsTheMedianOverTheRanks) {
  Result const result = all({of_rank({1, 20, 3}), of_rank({2, 10, 9}), of_rank({4, 30, 6})});
  EXPECT_EQ(result.outcome, Outcome::passed);
  EXPECT_EQ(result.samples, (std::vector<double>{2, 20, 6}));
  EXPECT_EQ(result.ranks->seconds, (std::vector<double>{3, 9, 6}));  // each rank's own median
  EXPECT_EQ(result.ranks->slowest_rank(), 1u);
}

TEST_F(Merge, TakesAsManySamplesAsEveryRankHas) {
  EXPECT_EQ(all({of_rank({1, 2, 3}), of_rank({3, 4})}).samples, (std::vector<double>{2, 3}));
}

TEST_F(Merge, OfACollectiveCaseItIsTheLongest) {
  Pattern pattern = *plan_.cases.front().pattern;
  pattern.collective = true;
  plan_.cases.front().pattern = &pattern;
  EXPECT_EQ(all({of_rank({1, 20, 3}), of_rank({2, 10, 9}), of_rank({4, 30, 6})}).samples,
            (std::vector<double>{4, 30, 9}));
}

TEST_F(Merge, YardsticksAreMediansToo) {
  std::vector<Result> of_ranks{of_rank({1}), of_rank({1}), of_rank({1})};
  for (double const factor : {1.0, 2.0, 3.0})
    of_ranks[static_cast<std::size_t>(factor) - 1].yardsticks["copy"] = {factor, 10 * factor, 100};
  Result const result = all(of_ranks);
  EXPECT_EQ(result.yardsticks.at("copy"), (std::vector<double>{2, 20, 100}));
  EXPECT_EQ(result.ceilings.copy, 20);
}

TEST_F(Merge, TheRateTogetherIsAllWorkOverTheWindowThatHoldsEachRank) {
  std::vector<Result> of_ranks{of_rank({1, 1, 1}), of_rank({1, 1, 1})};
  of_ranks[0].begins = {0, 10, 20}, of_ranks[0].ends = {2, 12, 24};
  of_ranks[1].begins = {1, 10, 21}, of_ranks[1].ends = {4, 11, 22};
  for (Result& result : of_ranks) result.repetitions = 3;
  // 2 ranks x 3 calls x 10 bytes in 4, 2 and 4 s: 15, 30 and 15 B/s
  EXPECT_DOUBLE_EQ(all(of_ranks).ranks->together, 15);
  of_ranks[0].ends[2] = 22;  // 30 B/s in the last one, too
  EXPECT_DOUBLE_EQ(rate_together(of_ranks), 30);
}

TEST_F(Merge, RanksThatTakeTurnsHaveNoRateTogether) {
  std::vector<Result> of_ranks{of_rank({1}), of_rank({1})};
  of_ranks[0].begins = {0}, of_ranks[0].ends = {1};
  of_ranks[1].begins = {1}, of_ranks[1].ends = {2};
  EXPECT_EQ(all(of_ranks, true).ranks->together, 0);
  EXPECT_DOUBLE_EQ(all(of_ranks).ranks->together, 10);
}

TEST_F(Merge, OfFlagsOfOneKindTheFirstRanksCounts) {
  std::vector<Result> of_ranks{of_rank({1}), of_rank({1}), of_rank({1})};
  of_ranks[1].flags = {"throttled: heat"};
  of_ranks[2].flags = {"throttled: power", "noisy: much"};
  EXPECT_EQ(all(of_ranks).flags, (std::vector<std::string>{"throttled: heat (rank 1)", "noisy: much (rank 2)"}));
  of_ranks[0].flags = {"noisy: little"};
  EXPECT_EQ(all(of_ranks).flags, (std::vector<std::string>{"noisy: little", "throttled: heat (rank 1)"}));
}

TEST_F(Merge, TakesTheMiddleModelAndTheStateOfTheSlowestDevice) {
  std::vector<Result> of_ranks{of_rank({1}), of_rank({3}), of_rank({2})};
  of_ranks[0].model = {0.3, "copy"}, of_ranks[1].model = {0.1, "fma"}, of_ranks[2].model = {0.2, "read"};
  of_ranks[1].after = {{"SM clock", "900 MHz"}};
  Result const result = all(of_ranks);
  EXPECT_EQ(result.model.limiter, "read");
  EXPECT_EQ(result.ranks->slowest_device.at("SM clock"), "900 MHz");
}

TEST_F(Merge, AWrongRankIsNamedWithItsPlace) {
  std::vector<Result> of_ranks(6, of_rank({1}));
  of_ranks[5] = wrong(Outcome::failed, "3 elements are wrong");
  Result const result = all(of_ranks);
  EXPECT_EQ(result.outcome, Outcome::failed);
  EXPECT_EQ(result.reason, "rank 5 (node1, GPU-5) of 6: 3 elements are wrong");
  EXPECT_FALSE(result.ranks);
}

TEST_F(Merge, TheWorstOutcomeCounts) {
  std::vector<Result> of_ranks{wrong(Outcome::skipped, "no unit for it"), wrong(Outcome::failed, "wrong"),
                               wrong(Outcome::error, "no memory"), wrong(Outcome::not_run, not_on_every_rank)};
  EXPECT_EQ(all(of_ranks).reason, "rank 2 (node0, GPU-2) of 4: no memory");
  of_ranks[2] = of_rank({1});
  EXPECT_EQ(all(of_ranks).reason, "rank 1 (node0, GPU-1) of 4: wrong");
  of_ranks[1] = of_rank({1});
  EXPECT_EQ(all(of_ranks).outcome, Outcome::skipped);
  EXPECT_EQ(all(of_ranks).reason, "rank 0 (node0, GPU-0) of 4: no unit for it");
}

TEST_F(Merge, WhatAllRanksSayIsOfNoneOfThem) {
  EXPECT_EQ(all(std::vector<Result>(3, wrong(Outcome::skipped, "no unit for it"))).reason, "no unit for it");
}

TEST_F(Merge, ARankWithoutAResultLeavesTheCaseNotRun) {
  OfEachRank of_each{of_rank({1}), {}, of_rank({1}), {}};
  Result const result = merged(of_each, made_up_ranks(4), false);
  EXPECT_EQ(result.outcome, Outcome::not_run);
  EXPECT_EQ(result.reason, "rank 1 (node0, GPU-1) of 4 ended before it was done");
  EXPECT_EQ(result.planned, &plan_.cases.front());
  of_each[3] = wrong(Outcome::error, "it broke");  // it says more than one that is missing
  EXPECT_EQ(merged(of_each, made_up_ranks(4), false).reason, "rank 3 (node0, GPU-3) of 4: it broke");
}

}  // namespace
}  // namespace tilestride
