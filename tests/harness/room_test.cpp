// SPDX-License-Identifier: BSD-3-Clause
#include "harness/room.hpp"

#include <gtest/gtest.h>

namespace tilestride {
namespace {

TEST(Room, RefusesWhatNeedsMoreThanIsFree) {
  Room room(100, {40, 101});
  EXPECT_EQ(room.add(40), "");
  EXPECT_EQ(room.add(101), "needs 101 B, free 100 B");
}

TEST(Room, SharesWhatAllOfThemNeed) {
  Room room(100, {60, 60, 60});
  for (int i = 0; i < 3; ++i) EXPECT_EQ(room.add(60), "");
}

TEST(Room, CountsWhatTheOthersKeep) {
  Room room(100, {40, 70, 70, 50});
  EXPECT_EQ(room.add(40), "");
  EXPECT_EQ(room.add(70), "");
  EXPECT_EQ(room.add(70), "") << "40 that they share, and 30 each";
  EXPECT_EQ(room.add(50), "needs 10 B beside the 100 B of the same problem's other variants, free 100 B");
}

TEST(Room, RefusesNothingWhereNothingIsKnown) {
  Room room(0, {1e30});
  EXPECT_EQ(room.add(1e30), "");
}

}  // namespace
}  // namespace tilestride
