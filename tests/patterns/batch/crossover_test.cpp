// SPDX-License-Identifier: BSD-3-Clause
#include "patterns/batch/crossover.hpp"

#include <gtest/gtest.h>

namespace tilestride::batch {
namespace {

TEST(WinsFrom, IsTheFirstAfterWhichTheOtherNeverLeads) {
  EXPECT_EQ(wins_from({{1, 9, 3}, {8, 9, 8}, {2, 9, 6}, {64, 9, 70}, {16, 9, 20}}), 16);
  EXPECT_EQ(wins_from({{1, 2, 3}, {2, 5, 4}, {4, 6, 7}, {8, 7, 9}}), 4);  // an early lead does not count
  EXPECT_EQ(wins_from({{1, 2, 3}, {2, 3, 4}}), 1);
}

TEST(WinsFrom, IsNothingWhereTheOtherLeadsAtTheEnd) {
  EXPECT_FALSE(wins_from({}));
  EXPECT_FALSE(wins_from({{1, 2, 3}, {2, 4, 4}}));
}

}  // namespace
}  // namespace tilestride::batch
