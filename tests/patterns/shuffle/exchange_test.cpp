// SPDX-License-Identifier: BSD-3-Clause
#include "patterns/shuffle/exchange.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace tilestride {
namespace {

/// What lane l brings to every step.
std::int64_t own(int lane) { return lane - 12; }

TEST(Exchange, OneStepMovesOwnValues) {
  for (int lane = 0; lane < warp_lanes; ++lane) {
    auto const at = static_cast<std::size_t>(lane);
    EXPECT_EQ(exchanged("broadcast", 8, 1)[at], own(lane / 8 * 8)) << lane;
    EXPECT_EQ(exchanged("up", 8, 1)[at], own(lane % 8 == 0 ? lane : lane - 1)) << lane;
    EXPECT_EQ(exchanged("down", 8, 1)[at], own(lane % 8 == 7 ? lane : lane + 1)) << lane;
    EXPECT_EQ(exchanged("rotate", 8, 1)[at], own(lane % 8 == 7 ? lane - 7 : lane + 1)) << lane;
    EXPECT_EQ(exchanged("xor", 8, 1)[at], own(lane ^ 4)) << lane;
  }
  EXPECT_EQ(exchanged("reduce", 4, 1)[5], own(4) + own(5) + own(6) + own(7));
  EXPECT_EQ(exchanged("scan", 4, 1)[6], own(4) + own(5) + own(6));
}

TEST(Exchange, EveryStepCounts) {
  int const steps = 1000;
  // A whole turn of a ring brings each lane the sum of the ring.
  EXPECT_EQ(exchanged("rotate", 32, 32)[7], 32 * 31 / 2 - 32 * 12);
  // The first lane hears only itself.
  EXPECT_EQ(exchanged("broadcast", 16, steps)[20], steps * own(16));
  EXPECT_EQ(exchanged("up", 32, steps)[0], steps * own(0));
  EXPECT_EQ(exchanged("down", 2, steps)[31], steps * own(31));
  // Two lanes that swap: each meets both own values in turn.
  EXPECT_EQ(exchanged("xor", 2, steps)[30], steps / 2 * (own(30) + own(31)));
  // The last lane keeps the total, to which each step adds all own values.
  std::int64_t const all = 32 * 31 / 2 - 32 * 12;
  EXPECT_EQ(exchanged("reduce", 32, steps)[0], steps * all);
  EXPECT_EQ(exchanged("scan", 32, steps)[31], steps * all);
  EXPECT_EQ(exchanged("scan", 32, steps)[2], own(0) + own(1) + own(2));
}

/// 24 bits of mantissa hold every value and every sum in between.
TEST(Exchange, RealsAreExact) {
  for (char const* op : {"broadcast", "up", "down", "rotate", "xor", "reduce", "scan"}) {
    for (int const width : {2, 4, 8, 16, 32}) {
      for (std::int64_t const value : exchanged(op, width, shuffle_steps))
        EXPECT_LT(std::abs(value), (1 << 24) - 1000) << op << " " << width;
    }
  }
}

}  // namespace
}  // namespace tilestride
