// SPDX-License-Identifier: BSD-3-Clause
#include "patterns/transfer/fit.hpp"

#include <gtest/gtest.h>

namespace tilestride::transfer {
namespace {

std::vector<TimedTransfer> link(double latency, double rate) {
  std::vector<TimedTransfer> transfers;
  for (double bytes = 1024; bytes <= 4e9; bytes *= 4) transfers.push_back({bytes, latency + bytes / rate});
  return transfers;
}

TEST(FitLink, FindsWhatTheTimesWereMadeFrom) {
  auto const fit = fit_link(link(8e-6, 55e9));
  ASSERT_TRUE(fit);
  EXPECT_NEAR(fit->latency, 8e-6, 1e-9);
  EXPECT_NEAR(fit->rate, 55e9, 1e6);
  EXPECT_LT(fit->error, 1e-4);
}

TEST(FitLink, IsNotBentByOneSizeThatWasDisturbed) {
  for (std::size_t disturbed = 0; disturbed < link(1, 1).size(); ++disturbed) {
    auto transfers = link(8e-6, 55e9);
    transfers[disturbed].seconds *= 3;
    auto const fit = fit_link(transfers);
    ASSERT_TRUE(fit) << disturbed;
    EXPECT_NEAR(fit->latency, 8e-6, 0.02 * 8e-6) << disturbed;
    EXPECT_NEAR(fit->rate, 55e9, 0.02 * 55e9) << disturbed;
  }
}

TEST(FitLink, NoiseOfAPercentMovesItByAboutAsMuch) {
  auto transfers = link(8e-6, 55e9);
  for (std::size_t i = 0; i < transfers.size(); ++i) transfers[i].seconds *= i % 2 == 0 ? 1.01 : 0.99;
  auto const fit = fit_link(transfers);
  ASSERT_TRUE(fit);
  EXPECT_NEAR(fit->latency, 8e-6, 0.03 * 8e-6);
  EXPECT_NEAR(fit->rate, 55e9, 0.03 * 55e9);
  EXPECT_LT(fit->error, 0.03);
}

TEST(FitLink, HasNoLatencyBelowZero) {
  auto const fit = fit_link({{1e6, 1e-5}, {2e6, 2.2e-5}, {4e6, 4.6e-5}});
  ASSERT_TRUE(fit);
  EXPECT_EQ(fit->latency, 0);
  EXPECT_NEAR(fit->rate, 1e11, 0.2e11);
}

TEST(FitLink, SaysNothingWhereThereIsNothingToTell) {
  EXPECT_FALSE(fit_link({}));
  EXPECT_FALSE(fit_link({{1e3, 1e-5}, {1e6, 2e-5}}));
  EXPECT_FALSE(fit_link({{1e6, 1e-5}, {1e6, 1.1e-5}, {1e6, 1.2e-5}}));
  EXPECT_FALSE(fit_link({{1e3, 3e-5}, {2e3, 2e-5}, {4e3, 1e-5}}));
}

TEST(Pinning, PaysFromTheFirstCopyThatMakesTheSumSmaller) {
  EXPECT_EQ(copies_until_pinning_pays(10, 3, 1), 6);  // 5 copies: 15 either way
  EXPECT_EQ(copies_until_pinning_pays(9, 3, 1), 5);   // 5 copies: 14 against 15
  EXPECT_EQ(copies_until_pinning_pays(0.5, 3, 1), 1);
  EXPECT_FALSE(copies_until_pinning_pays(1, 2, 2));
  EXPECT_FALSE(copies_until_pinning_pays(1, 1, 2));
}

}  // namespace
}  // namespace tilestride::transfer
