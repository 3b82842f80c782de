// SPDX-License-Identifier: BSD-3-Clause
#include "measure/energy.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <thread>

namespace tilestride {
namespace {

void pause(long milliseconds) { std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds)); }

TEST(Energy, CountsTheCallsBetweenTwoUpdates) {
  // Each call uses 0.3 J and takes about a millisecond; the counter is brought up to date every 100 calls.
  long calls = 0;
  auto const joules = [&] { return 0.3 * static_cast<double>(calls / 100 * 100); };
  auto const use = measure_energy(
      joules,
      [&](long n) {
        pause(n);
        calls += n;
      },
      1e-3);
  ASSERT_TRUE(use);
  EXPECT_GE(use->seconds, 2);
  EXPECT_NEAR(use->joules, 0.3, 1e-9);  // 5 calls between two looks: a whole number of them between two updates
  double const counted = use->watts * use->seconds / use->joules;
  EXPECT_NEAR(counted, std::round(counted / 100) * 100, 1e-6);
  EXPECT_LE(counted, static_cast<double>(calls));
}

TEST(Energy, SaysNothingWhereTheCounterStands) {
  auto const use = measure_energy([] { return 7.0; }, [](long) { pause(50); }, 1);
  EXPECT_FALSE(use);
}

}  // namespace
}  // namespace tilestride
