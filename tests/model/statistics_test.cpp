// SPDX-License-Identifier: BSD-3-Clause
#include "model/statistics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

namespace tilestride {
namespace {

/// P(Binomial(n, 1/2) <= k), by Pascal's triangle: one row at a time from the row before, no factorials and no
/// recurrence along k as in the code under test.
class Binomial {
 public:
  explicit Binomial(std::size_t n) : row_(n + 1, 0.0L) {
    row_[0] = 1;
    for (std::size_t flips = 1; flips <= n; ++flips) {
      for (std::size_t k = flips; k > 0; --k) row_[k] = (row_[k] + row_[k - 1]) / 2;
      row_[0] /= 2;
    }
  }
  long double at_most(std::size_t k) const {
    return std::accumulate(row_.begin(), row_.begin() + static_cast<std::ptrdiff_t>(k) + 1, 0.0L);
  }

 private:
  std::vector<long double> row_;
};

/// The interval from the low to the high rank (from 0) misses the median when at most `low` samples lie below it, or
/// above.
long double coverage(Binomial const& flips, std::size_t low) { return 1 - 2 * flips.at_most(low); }

TEST(MedianRanks, AreTheNarrowestThatHold95PercentOnBothSides) {
  for (std::size_t n = 6; n <= 200; ++n) {
    Binomial const flips(n);
    auto const [low, high] = median_ranks(n);
    ASSERT_EQ(low + high, n - 1) << n;
    EXPECT_GE(coverage(flips, low), 0.95L) << n;
    EXPECT_LT(coverage(flips, low + 1), 0.95L) << n << ": could be narrower";
  }
}

TEST(MedianRanks, AreTheRangeOfFewerThanSixSamples) {
  for (std::size_t n = 1; n < 6; ++n) {
    EXPECT_EQ(median_ranks(n), (std::pair<std::size_t, std::size_t>{0, n - 1}));
    EXPECT_LT(coverage(Binomial(n), 0), 0.95L);
  }
}

TEST(MedianRanks, StayRightWhereTheProbabilitiesUnderflow) {
  for (std::size_t const n : {1000u, 1022u, 1023u, 1050u, 1074u, 1075u, 1076u, 1100u, 2000u, 4999u, 8000u}) {
    Binomial const flips(n);
    auto const [low, high] = median_ranks(n);
    ASSERT_EQ(low + high, n - 1) << n;
    EXPECT_GE(coverage(flips, low), 0.95L) << n;
    EXPECT_LT(coverage(flips, low + 2), 0.95L) << n << ": far too wide";
  }
}

TEST(MedianRanks, AgreeWithTheTextbook) {  // two-sided 95 % tables of the sign test
  EXPECT_EQ(median_ranks(6).first, 0u);
  EXPECT_EQ(median_ranks(8).first, 0u);
  EXPECT_EQ(median_ranks(9).first, 1u);
  EXPECT_EQ(median_ranks(10).first, 1u);
  EXPECT_EQ(median_ranks(20).first, 5u);
  EXPECT_EQ(median_ranks(25).first, 7u);
  EXPECT_EQ(median_ranks(100).first, 39u);
}

TEST(Estimate, TakesTheSamplesInAnyOrder) {
  Estimate const e = estimate({9, 1, 8, 2, 7, 3, 6, 4, 5});
  EXPECT_EQ(e.median, 5);
  EXPECT_EQ(e.low, 2);
  EXPECT_EQ(e.high, 8);
  Estimate const even = estimate({4, 1, 3, 2});
  EXPECT_EQ(even.median, 2.5);
  EXPECT_EQ(even.low, 1);
  EXPECT_EQ(even.high, 4);
}

TEST(Estimate, OfOneSampleIsThatSample) {
  Estimate const e = estimate({3});
  EXPECT_EQ(e.median, 3);
  EXPECT_EQ(e.low, 3);
  EXPECT_EQ(e.high, 3);
}

/// A timing: a floor, noise that is never negative, and now and then a disturbance.
double skewed(std::mt19937_64& random) {
  double const noise = std::exponential_distribution<double>(1)(random);
  bool const disturbed = std::uniform_real_distribution<double>(0, 1)(random) < 0.05;
  return 10 + noise + (disturbed ? 50 * std::uniform_real_distribution<double>(0, 1)(random) : 0);
}

double true_median() {
  std::mt19937_64 random(99);
  std::vector<double> samples(2000001);
  for (double& x : samples) x = skewed(random);
  std::nth_element(samples.begin(), samples.begin() + 1000000, samples.end());
  return samples[1000000];
}

TEST(Estimate, HoldsTheTrueMedianOfSkewedSamplesAsOftenAsItSays) {
  double const truth = true_median();
  std::mt19937_64 random(1);  // a fixed seed: the counts below never change
  for (std::size_t const n : {6u, 10u, 31u, 100u}) {
    int constexpr trials = 4000;
    int held = 0;
    for (int trial = 0; trial < trials; ++trial) {
      std::vector<double> samples(n);
      for (double& x : samples) x = skewed(random);
      Estimate const e = estimate(samples);
      held += e.low <= truth && truth <= e.high;
    }
    auto const exact = static_cast<double>(coverage(Binomial(n), median_ranks(n).first));
    EXPECT_NEAR(static_cast<double>(held) / trials, exact, 5 * std::sqrt(exact * (1 - exact) / trials))
        << n;  // five sigma
  }
}

TEST(Summarize, DescribesTheSamples) {
  Statistics const s = summarize({5, 1, 2, 100, 3});
  EXPECT_EQ(s.time.median, 3);
  EXPECT_EQ(s.min, 1);
  EXPECT_EQ(s.max, 100);
  EXPECT_EQ(s.mad, 2);  // distances 2, 2, 1, 97, 0
  EXPECT_EQ(s.count, 5u);
}

TEST(SpeedRatio, IsWorkPerTimeOverWorkPerTime) {
  std::vector<double> const fast(10, 1.0), slow(10, 4.0);
  for (bool const paired : {false, true}) {
    EXPECT_EQ(speed_ratio(fast, slow, 1, paired).median, 4);
    EXPECT_EQ(speed_ratio(slow, fast, 1, paired).median, 0.25);
    EXPECT_EQ(speed_ratio(fast, slow, 0.5, paired).median, 2);  // mine does half the work
    EXPECT_EQ(speed_ratio(fast, slow, 1, paired).low, 4);
    EXPECT_EQ(speed_ratio(fast, slow, 1, paired).high, 4);
  }
}

TEST(SpeedRatio, LetsWhatDisturbsARoundCancel) {
  std::vector<double> mine, other;
  for (int i = 0; i < 30; ++i) {
    double const disturbance = 1 + (i % 7);
    mine.push_back(2 * disturbance);
    other.push_back(3 * disturbance);
  }
  Estimate const paired = speed_ratio(mine, other, 1, true);
  EXPECT_DOUBLE_EQ(paired.low, 1.5);
  EXPECT_DOUBLE_EQ(paired.high, 1.5);
  Estimate const apart = speed_ratio(mine, other, 1, false);
  EXPECT_DOUBLE_EQ(apart.median, 1.5);
  EXPECT_LT(apart.low, 1.0);
  EXPECT_GT(apart.high, 2.0);
}

TEST(SpeedRatio, PairsTheRoundsThatBothTookPartIn) {
  EXPECT_EQ(speed_ratio({1, 1, 1}, {2, 2, 2, 900, 900, 900, 900}, 1, true).high, 2);
}

TEST(SpeedRatio, TakesTheWorstCornersOfTwoMediansApart) {
  std::vector<double> const mine{1, 2, 3, 4, 5}, other{10, 20, 30, 40, 50};  // fewer than six: the ranges
  Estimate const e = speed_ratio(mine, other, 1, false);
  EXPECT_DOUBLE_EQ(e.median, 10);
  EXPECT_DOUBLE_EQ(e.low, 2);
  EXPECT_DOUBLE_EQ(e.high, 50);
}

}  // namespace
}  // namespace tilestride
