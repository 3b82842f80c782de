// SPDX-License-Identifier: BSD-3-Clause
// Division by a number known at launch, beside the language's.
#include "portable/divisor.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <random>

namespace tilestride {
namespace {

constexpr int greatest = std::numeric_limits<int>::max();

void expect_quotients(int by, std::initializer_list<int> values) {
  Divisor const divisor(by);
  for (int const value : values) EXPECT_EQ(divisor.quotient(value), value / by) << value << " / " << by;
}

TEST(Divisor, GivesTheQuotientAtAndBesideMultiples) {
  for (int by = 1; by <= 4096; ++by) {
    int const last = greatest / by * by;
    expect_quotients(by, {0, 1, by - 1, by, by + 1, 1000 * by - 1, 1000 * by, last - 1, last, greatest});
  }
}

TEST(Divisor, GivesTheQuotientOfAnyNumbers) {
  std::mt19937 random(1);
  for (int i = 0; i < 1'000'000; ++i) {
    int const by = std::max(static_cast<int>(random() >> (1 + random() % 31)), 1);
    int const value = static_cast<int>(random() >> 1);
    expect_quotients(by, {value});
  }
}

TEST(Divisor, TakesPowersOfTwoAndTheirNeighbours) {
  for (int power = 1; power <= 30; ++power) {
    for (int const by : {(1 << power) - 1, 1 << power, greatest - (1 << power), greatest})
      expect_quotients(by, {0, by - 1, by, greatest - 1, greatest});
  }
}

}  // namespace
}  // namespace tilestride
