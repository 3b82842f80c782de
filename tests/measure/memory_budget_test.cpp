// SPDX-License-Identifier: BSD-3-Clause
#include "measure/memory_budget.hpp"

#include <gtest/gtest.h>

namespace tilestride {
namespace {

TEST(MemoryBudget, RefusesWhatNeedsMoreThanIsFree) {
  MemoryBudget budget(100, {40, 101});
  EXPECT_EQ(budget.add(40), "");
  EXPECT_EQ(budget.add(101), "needs 101 B, free 100 B");
}

TEST(MemoryBudget, SharesWhatAllOfThemNeed) {
  MemoryBudget budget(100, {60, 60, 60});
  for (int i = 0; i < 3; ++i) EXPECT_EQ(budget.add(60), "");
}

TEST(MemoryBudget, CountsWhatTheOthersKeep) {
  MemoryBudget budget(100, {40, 70, 70, 50});
  EXPECT_EQ(budget.add(40), "");
  EXPECT_EQ(budget.add(70), "");
  EXPECT_EQ(budget.add(70), "") << "40 that they share, and 30 each";
  EXPECT_EQ(budget.add(50), "needs 10 B beside the 100 B of the same problem's other variants, free 100 B");
}

TEST(MemoryBudget, RefusesNothingWhereNothingIsKnown) {
  MemoryBudget budget(0, {1e30});
  EXPECT_EQ(budget.add(1e30), "");
}

}  // namespace
}  // namespace tilestride
