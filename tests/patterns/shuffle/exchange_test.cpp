// SPDX-License-Identifier: BSD-3-Clause
#include "patterns/shuffle/exchange.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace tilestride::shuffle {
namespace {

constexpr int lanes = 32;  // of a warp

/// What lane l brings to every step.
std::int64_t own(int lane) { return lane - 12; }

TEST(Exchange, OneStepMovesOwnValues) {
  for (int lane = 0; lane < lanes; ++lane) {
    auto const at = static_cast<std::size_t>(lane);
    EXPECT_EQ(exchanged("broadcast", lanes, 8, 1)[at], own(lane / 8 * 8)) << lane;
    EXPECT_EQ(exchanged("up", lanes, 8, 1)[at], own(lane % 8 == 0 ? lane : lane - 1)) << lane;
    EXPECT_EQ(exchanged("down", lanes, 8, 1)[at], own(lane % 8 == 7 ? lane : lane + 1)) << lane;
    EXPECT_EQ(exchanged("rotate", lanes, 8, 1)[at], own(lane % 8 == 7 ? lane - 7 : lane + 1)) << lane;
    EXPECT_EQ(exchanged("xor", lanes, 8, 1)[at], own(lane ^ 4)) << lane;
  }
  EXPECT_EQ(exchanged("reduce", lanes, 4, 1)[5], own(4) + own(5) + own(6) + own(7));
  EXPECT_EQ(exchanged("scan", lanes, 4, 1)[6], own(4) + own(5) + own(6));
}

TEST(Exchange, EveryStepCounts) {
  int const count = 1000;
  // A whole turn of a ring brings each lane the sum of the ring.
  EXPECT_EQ(exchanged("rotate", lanes, 32, 32)[7], 32 * 31 / 2 - 32 * 12);
  // The first lane gets only its own.
  EXPECT_EQ(exchanged("broadcast", lanes, 16, count)[20], count * own(16));
  EXPECT_EQ(exchanged("up", lanes, 32, count)[0], count * own(0));
  EXPECT_EQ(exchanged("down", lanes, 2, count)[31], count * own(31));
  // Two lanes that swap: each meets both own values in turn.
  EXPECT_EQ(exchanged("xor", lanes, 2, count)[30], count / 2 * (own(30) + own(31)));
  // The last lane keeps the total, to which each step adds all own values.
  std::int64_t const all = 32 * 31 / 2 - 32 * 12;
  EXPECT_EQ(exchanged("reduce", lanes, 32, count)[0], count * all);
  EXPECT_EQ(exchanged("scan", lanes, 32, count)[31], count * all);
  EXPECT_EQ(exchanged("scan", lanes, 32, count)[2], own(0) + own(1) + own(2));
}

/// Own values begin anew in the second half of a warp of 64.
TEST(Exchange, AWiderWarpHasTheSameGroupsTwice) {
  for (char const* op : {"broadcast", "up", "down", "rotate", "xor", "reduce", "scan"}) {
    auto const wide = exchanged(op, 64, 16, 7), narrow = exchanged(op, 32, 16, 7);
    for (std::size_t lane = 0; lane < 64; ++lane) EXPECT_EQ(wide[lane], narrow[lane % 32]) << op << " " << lane;
  }
}

/// 24 bits of mantissa hold every value and every sum in between.
TEST(Exchange, RealsAreExact) {
  for (char const* op : {"broadcast", "up", "down", "rotate", "xor", "reduce", "scan"}) {
    for (int const width : {2, 4, 8, 16, 32}) {
      for (std::int64_t const value : exchanged(op, lanes, width, steps))
        EXPECT_LT(std::abs(value), (1 << 24) - 1000) << op << " " << width;
    }
  }
}

}  // namespace
}  // namespace tilestride::shuffle
