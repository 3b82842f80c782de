// SPDX-License-Identifier: BSD-3-Clause

// The rule of docs/scaling.md, with figures that were computed by hand.

#include "ranks/screen.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "ranks/made_up_ranks.hpp"

namespace tilestride {
namespace {

ScreenLimits const limits;

class Screen : public testing::Test {
 protected:
  Result rates(std::vector<double> const& of_ranks, std::size_t i = 0) const {
    return with_rates(plan_.cases[i], of_ranks);
  }
  std::string name(std::size_t i = 0) const { return plan_.cases[i].name(); }
  static std::vector<Suspect> slow(std::vector<Result> const& results, Baseline const& baseline = {}) {
    std::size_t const count = results.front().ranks ? results.front().ranks->seconds.size() : 0;
    return suspects(results, made_up_ranks(count), limits, baseline);
  }
  /// What GPU-0, GPU-1 … reached before; 0: nothing is known of it.
  Baseline past(std::vector<double> const& rates, double own_mad = 0) const {
    Baseline baseline;
    Baseline::OfCase& of_case = baseline.cases[name()];
    of_case.own_mad = own_mad;
    for (std::size_t r = 0; r < rates.size(); ++r) {
      if (rates[r] > 0) of_case.devices[fmt::format("GPU-{}", r)] = rates[r];
    }
    return baseline;
  }

  Plan plan_ = made_up_plan(
      "[[case]]\npattern = \"transpose\"\nvariant = [\"copy\", \"row_read\", \"vendor\", \"tiled\"]\nshape = "
      "\"8x8\"\n"
      "[[case]]\npattern = \"matmul\"\nvariant = \"simple\"\n");
};

TEST_F(Screen, TheLimitGrowsWithTheNumberOfJudgements) {
  for (double const few : {1.0, 3.0, 4.0, 100.0, 2222.0}) EXPECT_EQ(z_limit(few), 3) << few;
  for (auto const& [judgements, z] : {std::pair{1e4, 3.43}, {1e5, 4.01}, {2e5, 4.17}, {1e6, 4.53}, {1e7, 4.99}})
    EXPECT_NEAR(z_limit(judgements), z, 0.005);
  for (double judgements = 3000; judgements < 1e9; judgements *= 1.7) {  // Abramowitz and Stegun, 26.2.23
    double const t = std::sqrt(-2 * std::log(3 / judgements));
    double const q =
        t - (2.515517 + 0.802853 * t + 0.010328 * t * t) / (1 + 1.432788 * t + 0.189269 * t * t + 0.001308 * t * t * t);
    EXPECT_NEAR(z_limit(judgements), std::max(3.0, q), 4.6e-4) << judgements;
  }
}

TEST_F(Screen, NamesARankFarBelowTheMedian) {
  // Median 100; distances 0 0 1 1 1 1 2 2 10, so MAD 1.
  auto const found = slow({rates({100, 101, 99, 102, 98, 100, 90, 101, 99})});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].rank, 6u);
  EXPECT_EQ(found[0].case_name, name());
  EXPECT_NEAR(found[0].deficit, 0.10, 1e-12);
  EXPECT_NEAR(found[0].z, -6.745, 1e-3);
  EXPECT_FALSE(found[0].own_past);
}

TEST_F(Screen, NeedsBothTheShareAndTheDistance) {
  EXPECT_TRUE(slow({rates({100, 100.1, 99.9, 100.2, 99.8, 100, 96.6, 100.1, 99.9})}).empty());   // z = -23, 3.4 %
  EXPECT_EQ(slow({rates({100, 100.1, 99.9, 100.2, 99.8, 100, 96.4, 100.1, 99.9})}).size(), 1u);  // 3.6 %
  // Median 100, MAD 5: 79 is 21 % slower and z = -2.83; 77 has z = -3.10.
  EXPECT_TRUE(slow({rates({100, 105, 95, 110, 90, 100, 79, 105, 95})}).empty());
  EXPECT_EQ(slow({rates({100, 105, 95, 110, 90, 100, 77, 105, 95})}).size(), 1u);
}

TEST_F(Screen, NeverNamesAFasterOne) { EXPECT_TRUE(slow({rates({100, 101, 99, 102, 98, 100, 130, 101, 99})}).empty()); }

TEST_F(Screen, AmongEqualsAnyShareBelowIsFar) {
  auto const found = slow({rates({100, 100, 100, 100, 96})});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].rank, 4u);
  EXPECT_TRUE(std::isinf(found[0].z));
  EXPECT_LT(found[0].z, 0);
  EXPECT_TRUE(slow({rates({100, 100, 100, 100, 97})}).empty());
}

TEST_F(Screen, FewerThanThreeRanksAreNoPeers) {
  EXPECT_TRUE(slow({rates({100, 50})}).empty());
  EXPECT_EQ(slow({rates({100, 100, 50})}).size(), 1u);
}

TEST_F(Screen, LooksAtWhatPassedAndWhereRanksWorkAlone) {
  std::vector<double> const some{100, 100, 100, 100, 50};
  Result failed = rates(some);
  failed.outcome = Outcome::failed;
  EXPECT_TRUE(slow({failed}).empty());
  Pattern pattern = *plan_.cases.front().pattern;
  pattern.collective = true;
  Case together = plan_.cases.front();
  together.pattern = &pattern;
  EXPECT_TRUE(slow({with_rates(together, some)}).empty());
  EXPECT_FALSE(has_peers(with_rates(together, some)));
  EXPECT_TRUE(has_peers(rates(some)));
  EXPECT_FALSE(has_peers(rates({1, 2})));
  Result single = passed(plan_.cases.front(), steady(1));
  EXPECT_TRUE(slow({single}).empty());
}

TEST_F(Screen, ItsLimitIsThatOfAllCasesTogether) {
  // 1,001 ranks with median 100 and MAD 1, and one at 93, which is z = -4.72; at 95.4 it is z = -3.10.
  std::vector<double> of_ranks;
  for (int i = 0; i < 1000; ++i) of_ranks.push_back(100 + i % 3 - 1);
  of_ranks.push_back(95.4);
  EXPECT_EQ(slow({rates(of_ranks)}).size(), 1u);  // 1,001 judgements: 3
  of_ranks.back() = 100;
  std::vector<double> one_slow = of_ranks;
  one_slow.back() = 95.4;
  std::vector<Result> const four{rates(one_slow), rates(of_ranks, 1), rates(of_ranks, 2), rates(of_ranks, 3)};
  EXPECT_TRUE(slow(four).empty());                                    // 4,004 judgements: 3.18
  EXPECT_TRUE(slow({rates(one_slow)}, past(one_slow)).size() == 1u);  // 2,002
}

TEST_F(Screen, APastDoublesTheJudgements) {
  std::vector<double> of_ranks;
  for (int i = 0; i < 2000; ++i) of_ranks.push_back(100 + i % 3 - 1);
  of_ranks.push_back(95.5);                                      // z = -3.035
  EXPECT_EQ(slow({rates(of_ranks)}).size(), 1u);                 // 2,001 judgements: 3
  EXPECT_TRUE(slow({rates(of_ranks)}, past(of_ranks)).empty());  // 4,002: 3.18
}

TEST_F(Screen, TheOwnPastFindsWhatTheDifferencesBetweenHealthyOnesHide) {
  // Healthy ones differ by 20 %; rank 2 has lost 8 % of what it had and is still no slower than others.
  std::vector<double> const before{100, 110, 120, 90, 105, 95}, now{100.1, 109.9, 110.4, 90, 105.2, 94.9};
  EXPECT_TRUE(slow({rates(now)}).empty());
  auto const found = slow({rates(now)}, past(before));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].rank, 2u);
  EXPECT_TRUE(found[0].own_past);
  EXPECT_NEAR(found[0].deficit, 0.08, 2e-3);
}

TEST_F(Screen, ADeviceThatWasSlowOnItsFirstDayIsFoundBesideTheOthers) {
  std::vector<double> const always{100, 101, 99, 100, 80, 100, 101};
  auto const found = slow({rates(always)}, past(always));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].rank, 4u);
  EXPECT_FALSE(found[0].own_past);
}

TEST_F(Screen, WhatSlowsAllAlikeIsOfTheCase) {
  std::vector<double> const before{100, 110, 120, 90}, now{90, 99, 108, 81};
  EXPECT_TRUE(slow({rates(now)}, past(before)).empty());
  auto const cases = slower_than_their_past({rates(now)}, made_up_ranks(4), limits, past(before));
  ASSERT_EQ(cases.size(), 1u);
  EXPECT_EQ(cases[0].name, name());
  EXPECT_NEAR(cases[0].deficit, 0.1, 1e-12);
  EXPECT_TRUE(slower_than_their_past({rates(before)}, made_up_ranks(4), limits, past(before)).empty());
  EXPECT_TRUE(slower_than_their_past({rates(now)}, made_up_ranks(4), limits, {}).empty());
}

TEST_F(Screen, FewerThanThreeWithAPastAreComparedWithItByTheNoiseOfTheirRuns) {
  // z = 0.6745 (y - 1) / own_mad: for y = 0.95 and 0.01 it is -3.37, for 0.0125 it is -2.70.
  EXPECT_EQ(slow({rates({95, 100})}, past({100, 100}, 0.01)).size(), 1u);
  EXPECT_TRUE(slow({rates({95, 100})}, past({100, 100}, 0.0125)).empty());
  EXPECT_EQ(slow({rates({96.4, 100})}, past({100, 100})).size(), 1u);  // no noise known: the share alone decides
  EXPECT_TRUE(slow({rates({96.6, 100})}, past({100, 100})).empty());
  EXPECT_EQ(slow({rates({95, 100, 100, 101, 99})}, past({100, 0, 0, 0, 0}, 0.01)).size(), 2u);  // and beside its peers
}

TEST_F(Screen, ADeviceWithoutUuidIsKnownByHostAndRank) {
  std::vector<RankFacts> facts = made_up_ranks(2);
  for (RankFacts& one : facts) one.uuid.clear();
  Baseline baseline;
  baseline.cases[name()].devices = {{"node0:1", 100.0}};
  auto const found = suspects({rates({90, 90})}, facts, limits, baseline);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].rank, 1u);
}

TEST_F(Screen, WhatItCanSeeFollowsFromTheSpread) {
  EXPECT_NEAR(smallest_found(0.005, 1e5, limits), 0.047, 5e-4);
  EXPECT_NEAR(smallest_found(0.01, 1e5, limits), 0.063, 5e-4);
  EXPECT_NEAR(smallest_found(0.02, 1e5, limits), 0.127, 5e-4);
  OfRanks ranks;
  for (double const rate : {99.0, 100.0, 101.0, 102.0, 98.0}) ranks.seconds.push_back(1 / rate);
  EXPECT_NEAR(spread_between(ranks), 0.014826, 1e-9);  // MAD 1 of 100
}

// ---- messages between ranks, four of which are on a host

class SlowMessages : public testing::Test {
 protected:
  /// Every message alone, at about 100, and those of `slow` at so much.
  using Slow = std::map<std::pair<std::size_t, std::size_t>, double>;
  Result rates(std::size_t count, Slow const& slow) const {
    Result result = with_rates(plan_.cases[0], std::vector<double>(count, 1));
    for (std::size_t from = 0; from < count; ++from) {
      for (std::size_t to = 0; to < count; ++to) {
        if (from == to) continue;
        auto const found = slow.find({from, to});
        double const healthy = 100 + static_cast<double>((from + to) % 3) - 1;  // MAD 1
        result.measured.emplace_back(fmt::format("{}->{} GB/s", from, to),
                                     found == slow.end() ? healthy : found->second);
      }
    }
    return result;
  }
  static std::vector<Suspect> found(Result const& result) {
    return slow_messages({result}, made_up_ranks(result.ranks->seconds.size()), limits);
  }
  static std::vector<std::pair<std::size_t, std::size_t>> pairs(std::vector<Suspect> const& messages) {
    std::vector<std::pair<std::size_t, std::size_t>> all;
    for (Suspect const& one : messages) all.emplace_back(one.rank, *one.to);
    return all;
  }
  using Hosts = std::vector<std::string>;
  static Hosts in_common(std::vector<Suspect> const& messages) { return hosts_in_common(messages, made_up_ranks(40)); }

  Plan plan_ = one_case();
};

TEST_F(SlowMessages, OfAHostNameIt) {
  Slow slow;  // all that leave or reach node2, of ten hosts
  for (std::size_t on = 8; on < 12; ++on) {
    for (std::size_t other = 0; other < 40; ++other) {
      if (other / 4 != 2) slow[{on, other}] = slow[{other, on}] = 80;
    }
  }
  auto const messages = found(rates(40, slow));
  EXPECT_EQ(messages.size(), slow.size());
  EXPECT_EQ(in_common(messages), Hosts{"node2"});
  EXPECT_NEAR(messages.front().deficit, 0.2, 0.01);
  EXPECT_NEAR(messages.front().z, -20 * 0.6745, 0.7);
}

TEST_F(SlowMessages, OfAPairOfHostsAreBetweenThem) {
  EXPECT_EQ(in_common(found(rates(40, {{{0, 4}, 80}}))), (Hosts{"node0", "node1"}));
  EXPECT_EQ(in_common(found(rates(40, {{{0, 4}, 80}, {{6, 3}, 85}}))), (Hosts{"node0", "node1"}));
  EXPECT_EQ(in_common(found(rates(40, {{{0, 4}, 80}, {{8, 3}, 85}}))), Hosts{"node0"});
}

TEST_F(SlowMessages, WithoutAHostInCommonAreJustThese) {
  auto const messages = found(rates(40, {{{0, 4}, 80}, {{13, 9}, 80}}));
  EXPECT_EQ(pairs(messages), (std::vector<std::pair<std::size_t, std::size_t>>{{0, 4}, {13, 9}}));
  EXPECT_EQ(in_common(messages), Hosts{});
  // Each two of these have one, but not all of them.
  EXPECT_EQ(in_common(found(rates(40, {{{0, 4}, 80}, {{4, 8}, 80}, {{8, 0}, 80}}))), Hosts{});
}

TEST_F(SlowMessages, WithinAHostAreOfIt) {
  EXPECT_EQ(in_common(found(rates(40, {{{4, 5}, 80}}))), Hosts{"node1"});
  EXPECT_EQ(in_common(found(rates(40, {{{4, 5}, 80}, {{9, 6}, 80}}))), Hosts{"node1"});
  EXPECT_EQ(in_common(found(rates(40, {{{4, 5}, 80}, {{9, 10}, 80}}))), Hosts{});
}

TEST_F(SlowMessages, AreBesideThoseThatGoAsFar) {
  Slow network;
  for (std::size_t from = 0; from < 40; ++from) {
    for (std::size_t to = 0; to < 40; ++to) {
      if (from / 4 != to / 4) network[{from, to}] = 10 + static_cast<double>((from + to) % 3) / 10;
    }
  }
  EXPECT_TRUE(found(rates(40, network)).empty());
  network[{0, 4}] = 8;
  EXPECT_EQ(pairs(found(rates(40, network))), (std::vector<std::pair<std::size_t, std::size_t>>{{0, 4}}));
}

TEST_F(SlowMessages, NeedTheShareTheDistanceAndThreePeers) {
  EXPECT_TRUE(found(rates(40, {{{0, 4}, 96.6}})).empty());  // z = -2.3
  EXPECT_TRUE(found(rates(2, {{{0, 1}, 50}})).empty());     // two pairs
  EXPECT_EQ(found(rates(3, {{{0, 1}, 50}})).size(), 1u);
  Result failed = rates(40, {{{0, 4}, 80}});
  failed.outcome = Outcome::failed;
  EXPECT_TRUE(found(failed).empty());
  EXPECT_TRUE(found(with_rates(plan_.cases[0], {1, 1, 1, 1})).empty());
  EXPECT_TRUE(in_common({}).empty());
}

// ---- two measurements

Suspect suspect(std::string name, std::size_t rank, double deficit, bool own_past = false) {
  return {std::move(name), rank, deficit, -5, own_past};
}

TEST(Findings, AreWhatTwoMeasurementsAgreeOn) {
  auto const found = findings({suspect("a", 1, 0.10), suspect("a", 2, 0.05), suspect("a", 3, 0.20)},
                              {suspect("a", 1, 0.08), suspect("a", 2, 0.20), suspect("b", 3, 0.20)}, {"a"}, limits);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].action, Action::replace);
  EXPECT_EQ(found[0].worst.deficit, 0.08);  // the smaller one
  EXPECT_EQ(found[1].action, Action::watch);
  EXPECT_EQ(found[1].worst.deficit, 0.05);
  EXPECT_EQ(found[2].action, Action::retest);
  EXPECT_TRUE(found[2].repeated);
}

TEST(Findings, BeginToReplaceAtTheLimit) {
  for (auto const& [deficit, action] : {std::pair{0.0699, Action::watch}, {0.07, Action::replace}}) {
    auto const found = findings({suspect("a", 0, deficit)}, {suspect("a", 0, 0.5)}, {"a"}, limits);
    EXPECT_EQ(found.at(0).action, action) << deficit;
  }
}

TEST(Findings, SayWhenNobodyLookedAgain) {
  auto const found = findings({suspect("a", 0, 0.1)}, {}, {}, limits);
  EXPECT_EQ(found.at(0).action, Action::retest);
  EXPECT_FALSE(found.at(0).repeated);
}

TEST(Findings, OfOneComparisonAreConfirmedByTheOther) {
  auto const found = findings({suspect("a", 0, 0.1)}, {suspect("a", 0, 0.09, true)}, {"a"}, limits);
  EXPECT_EQ(found.at(0).action, Action::replace);
  EXPECT_EQ(found.at(0).worst.deficit, 0.09);
  auto const both =
      findings({suspect("a", 0, 0.1)}, {suspect("a", 0, 0.04, true), suspect("a", 0, 0.08)}, {"a"}, limits);
  EXPECT_EQ(both.at(0).worst.deficit, 0.08);  // by the same comparison
}

TEST(Findings, OfMessagesAreApartFromThoseOfTheRank) {
  Suspect to_2 = suspect("a", 1, 0.1), to_3 = to_2;
  to_2.to = 2;
  to_3.to = 3;
  auto const found = findings({suspect("a", 1, 0.2), to_2, to_3}, {to_3}, {"a"}, limits);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].worst.to, std::nullopt);
  EXPECT_EQ(found[0].action, Action::retest);
  EXPECT_EQ(found[1].worst.to, 2u);
  EXPECT_EQ(found[1].action, Action::retest);
  EXPECT_EQ(found[2].worst.to, 3u);
  EXPECT_EQ(found[2].action, Action::replace);
}

TEST(Findings, OfARankAreOneWithItsWorstCase) {
  std::vector<Suspect> const twice{suspect("a", 7, 0.05), suspect("b", 7, 0.12), suspect("b", 7, 0.11, true),
                                   suspect("c", 7, 0.3)};
  auto const found = findings(twice, {twice[0], twice[1], twice[2]}, {"a", "b", "c"}, limits);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].rank, 7u);
  EXPECT_EQ(found[0].worst.case_name, "b");  // "c" was not confirmed
  EXPECT_EQ(found[0].worst.deficit, 0.12);
  EXPECT_EQ(found[0].cases, 3u);
}

}  // namespace
}  // namespace tilestride
