// SPDX-License-Identifier: BSD-3-Clause
#include "compare/spread.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "compare/scipy_reference.hpp"

namespace tilestride {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double precision = 1e-10;

void expect_near(double got, double expected, char const* what) {
  EXPECT_NEAR(got, expected, precision * std::max(1e-3, std::abs(expected))) << what;
}

void expect_answer(Difference const& got, ScipyReference::Answer const& expected) {
  expect_near(got.log_ratio, expected.log_ratio, "log ratio");
  expect_near(got.deviation, expected.deviation, "deviation");
  expect_near(got.degrees, expected.degrees, "degrees");
  expect_near(got.p_value(), expected.p_value, "p-value");
  expect_near(got.p_value(0.01), expected.p_value_of_null, "p-value of another null");
  expect_near(got.p_value_below(std::log(0.99)), expected.p_value_below, "p-value below a limit");
  for (auto const& [interval, half] :
       {std::pair(got.interval(), expected.half_width_95), std::pair(got.interval(0.99), expected.half_width_99)}) {
    expect_near(interval.first, expected.log_ratio - half, "low end");
    expect_near(interval.second, expected.log_ratio + half, "high end");
  }
}

void expect_reference(ScipyReference const& reference) {
  std::vector<Difference> const found = differences(reference.cases);
  ASSERT_EQ(found.size(), reference.answers.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    SCOPED_TRACE(i);
    EXPECT_EQ(found[i].mine, reference.cases[i].mine.size());
    EXPECT_EQ(found[i].theirs, reference.cases[i].theirs.size());
    expect_answer(found[i], reference.answers[i]);
  }
}

/// One run a side that gave this difference.
Observed pair(double log_ratio, double scatter = 0.001) { return {{log_ratio}, {0}, scatter}; }

void expect_unknown(Difference const& difference) {
  EXPECT_EQ(difference.degrees, 0);
  EXPECT_EQ(difference.p_value(), 1);
  EXPECT_EQ(difference.p_value(0.5), 1);
  EXPECT_EQ(difference.p_value_below(1), 1);
  EXPECT_EQ(difference.interval(), std::pair(-infinity, infinity));
}

// ---- against numpy and scipy

TEST(Differences, AreThoseOfScipyForSeveralRuns) { expect_reference(several_runs); }
TEST(Differences, AreThoseOfScipyForOneRunASide) { expect_reference(one_run_a_side); }
TEST(Differences, AreThoseOfScipyWhereSomeRunsLackCases) { expect_reference(some_runs); }
TEST(Differences, AreStudentsTestOfEachCaseAloneWhereCasesAreFew) { expect_reference(few_cases); }

TEST(CommonSpread, IsThatOfScipy) {
  // Of three runs against two: the variances have three degrees of freedom.
  std::vector<Variance> variances;
  for (Observed const& c : several_runs.cases) {
    double const center = (c.mine[0] + c.mine[1] + c.mine[2]) / 3, half = (c.theirs[0] - c.theirs[1]) / 2;
    double squares = 2 * half * half;
    for (double const x : c.mine) squares += (x - center) * (x - center);
    variances.push_back({squares / 3, 3, c.scatter});
  }
  CommonSpread const common = common_spread(variances);
  expect_near(common.level, several_runs.spread.level, "level");
  expect_near(common.slope, several_runs.spread.slope, "slope");
  expect_near(common.degrees, several_runs.spread.degrees, "degrees");
  EXPECT_NEAR(common.variance(0.01), std::exp(common.level) * std::pow(0.01, common.slope), 1e-15);
}

// ---- the edges of a common spread

TEST(CommonSpread, IsUnknownOfFewCases) {
  EXPECT_EQ(common_spread({}).degrees, 0);
  EXPECT_EQ(common_spread({{1e-4, 2, 0.001}}).degrees, 0);
  EXPECT_EQ(common_spread(std::vector<Variance>(5, {1e-4, 2, 0.001})).degrees, 0);
}

TEST(CommonSpread, IsUnknownWhereRunsAgreeToTheLastBit) {
  EXPECT_EQ(common_spread(std::vector<Variance>(1000, {0, 2, 0.001})).degrees, 0);
}

TEST(CommonSpread, LeavesZeroVariancesOut) {
  std::vector<Variance> variances;
  for (int i = 1; i <= 20; ++i) variances.push_back({1e-6 * i * i, 2, 0.001});
  CommonSpread const without = common_spread(variances);
  variances.push_back({0, 2, 0.001});
  CommonSpread const with = common_spread(variances);
  EXPECT_EQ(with.level, without.level);
  EXPECT_EQ(with.slope, without.slope);
  EXPECT_EQ(with.degrees, without.degrees);
}

TEST(CommonSpread, IsTheVarianceOfAllWhereAllAreAlike) {
  // Alike beyond what their estimates could be: then there is one variance, and it is known well. Its logarithm is
  // corrected for the mean of log(chi-squared(2) / 2), which is minus Euler's constant.
  CommonSpread const common = common_spread(std::vector<Variance>(100, {1e-6, 2, 0.001}));
  EXPECT_GE(common.degrees, 1e5);
  EXPECT_EQ(common.slope, 0);
  EXPECT_NEAR(common.variance(0.5) / 1e-6, std::exp(0.57721566490153286), 1e-4);
}

TEST(CommonSpread, FollowsTheScatter) {
  std::vector<Variance> variances;
  for (int i = 1; i <= 50; ++i) variances.push_back({9e-8 * i * i, 4, 1e-4 * i});  // three times the scatter
  CommonSpread const common = common_spread(variances);
  EXPECT_NEAR(common.slope, 2, 1e-9);
  EXPECT_NEAR(common.variance(4e-3) / common.variance(2e-3), 4, 1e-9);
}

TEST(CommonSpread, KnowsHowDifferentCasesAre) {
  std::vector<Variance> alike, apart;
  for (int i = 0; i < 200; ++i) {
    double const quantile = (i + 0.5) / 200;  // of chi-squared(2), times the variance over 2: an exponential
    alike.push_back({-1e-6 * std::log(1 - quantile), 2, 0.001});
    apart.push_back({-1e-6 * std::log(1 - quantile) * (i % 2 == 0 ? 30 : 1), 2, 0.001});
  }
  EXPECT_GT(common_spread(alike).degrees, 5);
  EXPECT_LT(common_spread(apart).degrees, 3);
  EXPECT_GT(common_spread(apart).degrees, 0);
}

TEST(CommonSpread, TakesFewCasesForLessAlikeThanMany) {
  std::vector<Variance> few, many;
  for (int i = 0; i < 12; ++i) {
    few.push_back({-1e-6 * std::log(1 - (i + 0.5) / 12), 2, 0.001});
    for (int copy = 0; copy < 100; ++copy) many.push_back(few.back());
  }
  EXPECT_LT(common_spread(few).degrees, common_spread(many).degrees);
}

TEST(CommonSpread, StandsAScatterOfZero) {
  std::vector<Variance> variances;
  for (int i = 1; i <= 20; ++i) variances.push_back({1e-6 * i, 2, i % 2 == 0 ? 0 : 0.001});
  CommonSpread const common = common_spread(variances);
  EXPECT_GT(common.degrees, 0);
  EXPECT_TRUE(std::isfinite(common.variance(0)));
  EXPECT_TRUE(std::isfinite(common.variance(1)));
}

// ---- the edges of differences

TEST(Differences, OfNothingAreNone) { EXPECT_TRUE(differences({}).empty()); }

TEST(Differences, OfOneRunASideAndFewCasesAreUnknown) {
  for (std::size_t const cases : {1, 2, 9}) {
    std::vector<Observed> observed;
    for (std::size_t i = 0; i < cases; ++i) observed.push_back(pair(0.01 * static_cast<double>(i) + 0.5));
    std::vector<Difference> const found = differences(observed);
    ASSERT_EQ(found.size(), cases);
    for (std::size_t i = 0; i < cases; ++i) {
      EXPECT_DOUBLE_EQ(found[i].log_ratio, observed[i].mine[0]);
      expect_unknown(found[i]);
    }
  }
}

TEST(Differences, ThatAreAllZeroTellNothingOfTheSpread) {
  for (Difference const& found : differences(std::vector<Observed>(100, pair(0)))) {
    EXPECT_EQ(found.log_ratio, 0);
    expect_unknown(found);
  }
  for (Difference const& found : differences(std::vector<Observed>(100, Observed{{1, 1}, {1, 1}, 0.001})))
    EXPECT_EQ(found.p_value(), 1);
}

TEST(Differences, ThatAreAllTheSameAreNotOnesOfSpread) {
  // One run a side, and every case 10 % faster: what is common to all says nothing of how far runs lie apart.
  for (Difference const& found : differences(std::vector<Observed>(100, pair(0.1)))) expect_unknown(found);
}

TEST(Differences, OfOneCaseInSeveralRunsHaveTheirOwnDegrees) {
  std::vector<Difference> const found = differences({{{1.0, 1.2}, {0.9, 1.1}, 0.001}});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(found[0].log_ratio, 0.1, 1e-15);
  EXPECT_EQ(found[0].degrees, 2);
  EXPECT_NEAR(found[0].deviation, std::sqrt(0.02), 1e-15);
  EXPECT_NEAR(found[0].standard_error(), std::sqrt(0.02), 1e-15);
  // Student's t of two degrees: P(|T| > t) = 1 - t / sqrt(2 + t^2), and a share p lies below
  // (2 p - 1) / sqrt(2 p (1 - p)).
  double const t = 0.1 / std::sqrt(0.02);
  EXPECT_NEAR(found[0].p_value(), 1 - t / std::sqrt(2 + t * t), 1e-14);
  EXPECT_NEAR(found[0].interval().second - 0.1, 0.95 / std::sqrt(2 * 0.975 * 0.025) * std::sqrt(0.02), 1e-12);
}

TEST(Differences, GiveACaseOfOneRunWhatTheOthersTell) {
  std::vector<Observed> cases;
  for (int i = 1; i <= 20; ++i) cases.push_back({{0, 0.001 * i}, {0, 0.001 * i}, 0.001});
  cases.push_back(pair(0.02));
  std::vector<Difference> const found = differences(cases);
  Difference const& alone = found.back();
  EXPECT_GT(alone.degrees, 0);
  EXPECT_DOUBLE_EQ(found.front().degrees, alone.degrees + 2);
  // Its own difference is no estimate of its spread.
  cases.back() = pair(2);
  EXPECT_EQ(differences(cases).back().deviation, alone.deviation);
}

TEST(Differences, ThatAreLargeDoNotHideInTheirOwnSpread) {
  // One run a side, one case of 1000 far away: it moves the spread of all by little.
  std::vector<Observed> cases;
  for (int i = 0; i < 999; ++i) cases.push_back(pair(0.001 * std::sin(i)));
  cases.push_back(pair(1));
  std::vector<Difference> const found = differences(cases);
  EXPECT_LT(found.back().deviation, 0.002);
  EXPECT_LT(found.back().p_value(), 1e-4);
}

TEST(Differences, DrawAVarianceOfZeroTowardsTheOthers) {
  std::vector<Observed> cases;
  for (int i = 1; i <= 20; ++i) cases.push_back({{0, 0.001 * i}, {0, 0.001 * i}, 0.001});
  cases.push_back({{0.0005, 0.0005}, {0, 0}, 0.001});  // the clock resolves no more
  Difference const found = differences(cases).back();
  EXPECT_GT(found.deviation, 0.0005);
  EXPECT_GT(found.p_value(), 0.05);
}

TEST(Differences, OfCasesThatMoveTogetherKeepTheirSign) {
  std::vector<Difference> const found = differences({{{2, 2.1}, {1, 1.1}, 0.001}, {{1, 1.1}, {2, 2.1}, 0.001}});
  EXPECT_NEAR(found[0].log_ratio, 1, 1e-15);
  EXPECT_NEAR(found[1].log_ratio, -1, 1e-15);
  EXPECT_DOUBLE_EQ(found[0].p_value(), found[1].p_value());
  EXPECT_GT(found[0].p_value_below(0), 0.5);
  EXPECT_LT(found[1].p_value_below(0), 0.05);
}

TEST(Difference, HasAnIntervalThatHoldsWhatItsTestAccepts) {
  Difference const difference{0.03, 0.01, 3.7, 3, 2};
  for (double const probability : {0.5, 0.9, 0.95, 0.999}) {
    auto const [low, high] = difference.interval(probability);
    EXPECT_NEAR(difference.p_value(low), 1 - probability, 1e-9);
    EXPECT_NEAR(difference.p_value(high), 1 - probability, 1e-9);
    EXPECT_NEAR(difference.p_value_below(high), (1 - probability) / 2, 1e-9);
  }
  EXPECT_EQ(difference.p_value(0.03), 1);
  EXPECT_DOUBLE_EQ(difference.p_value_below(0.03), 0.5);
}

TEST(Difference, OfNoDeviationIsCertain) {
  Difference const difference{0.03, 0, 4, 3, 3};
  EXPECT_EQ(difference.p_value(), 0);
  EXPECT_EQ(difference.p_value(0.03), 1);
  EXPECT_EQ(difference.p_value_below(0.04), 0);
  EXPECT_EQ(difference.p_value_below(0.02), 1);
  EXPECT_EQ(difference.interval(), std::pair(0.03, 0.03));
}

// ---- false discoveries

TEST(QValues, OfNothingAreNone) { EXPECT_TRUE(q_values({}).empty()); }

TEST(QValues, OfOneIsItself) { EXPECT_EQ(q_values({0.03}), std::vector<double>{0.03}); }

TEST(QValues, AreThoseOfBenjaminiAndHochbergsExample) {
  // Table 1 of their article: 15 p-values, of which the procedure at 5 % rejects the first four. Each is multiplied by
  // 15 / rank here, and is at most what follows it.
  std::vector<double> const p{0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344,
                              0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0};
  std::vector<double> const by_hand{
      0.0015, 0.003,  0.0095, 0.035625,           0.0603,   0.0638571428571429, 0.0638571428571429,
      0.0645, 0.0765, 0.486,  0.5811818181818182, 0.714875, 0.7532307692307693, 0.8132142857142857,
      1.0};
  std::vector<double> const q = q_values(p);
  ASSERT_EQ(q.size(), p.size());
  for (std::size_t i = 0; i < q.size(); ++i) EXPECT_NEAR(q[i], by_hand[i], 1e-15) << i;
  EXPECT_EQ(std::count_if(q.begin(), q.end(), [](double v) { return v <= 0.05; }), 4);
}

TEST(QValues, StandInTheOrderOfTheirPValues) {
  std::vector<double> const q = q_values({0.9, 0.01, 0.04, 0.02});
  ASSERT_EQ(q.size(), 4u);
  EXPECT_NEAR(q[0], 0.9, 1e-15);
  EXPECT_NEAR(q[1], 0.04, 1e-15);
  EXPECT_NEAR(q[2], 0.04 * 4 / 3, 1e-15);
  EXPECT_NEAR(q[3], 0.04, 1e-15);
}

TEST(QValues, OfEqualPValuesAreEqual) {
  for (double const q : q_values({0.02, 0.02, 0.02})) EXPECT_NEAR(q, 0.02, 1e-15);
  for (double const q : q_values({1, 1, 1, 1})) EXPECT_EQ(q, 1);
  for (double const q : q_values({0, 0, 0})) EXPECT_EQ(q, 0);
}

TEST(QValues, AreNeverAboveOneNorBelowTheirPValue) {
  std::vector<double> p;
  for (int i = 0; i < 1000; ++i) p.push_back((37 * i % 1000 + 0.5) / 1000);
  std::vector<double> const q = q_values(p);
  for (std::size_t i = 0; i < p.size(); ++i) {
    EXPECT_GE(q[i], p[i]);
    EXPECT_LE(q[i], 1);
  }
}

}  // namespace
}  // namespace tilestride
