// SPDX-License-Identifier: BSD-3-Clause
#include "patterns/zero_copy/touched.hpp"

#include <gtest/gtest.h>

namespace tilestride::zero_copy {
namespace {

TEST(Touched, AsManyLinesAsThePercentSays) {
  EXPECT_EQ(touched_lines(1000, 100), 1000);
  EXPECT_EQ(touched_lines(1000, 7), 70);
  EXPECT_EQ(touched_lines(1050, 10), 105);
  EXPECT_EQ(touched_lines(99, 1), 1) << "at least one";
  EXPECT_EQ(touched_lines(1, 1), 1);
  EXPECT_EQ(touched_lines(std::int64_t{1} << 57, 100), std::int64_t{1} << 57) << "no overflow";
}

TEST(Touched, LinesLieEvenlyAndNoneTwice) {
  for (std::int64_t lines : {1, 2, 99, 100, 101, 4096, 1000003}) {
    for (std::int64_t percent : {1, 3, 50, 99, 100}) {
      std::int64_t const touched = touched_lines(lines, percent);
      std::uint64_t const step = step_between(lines, touched);
      std::int64_t before = -1;
      for (std::int64_t i = 0; i < touched; ++i) {
        auto const line = static_cast<std::int64_t>((static_cast<std::uint64_t>(i) * step) >> 32);
        ASSERT_GT(line, before) << lines << " lines, " << percent << " %";
        ASSERT_LT(line, lines);
        // Where exact arithmetic puts it, or one line before: the step is rounded down.
        ASSERT_LE(line, i * lines / touched);
        ASSERT_GE(line, i * lines / touched - 1);
        before = line;
      }
      if (percent == 100) {
        EXPECT_EQ(before, lines - 1);
      }
    }
  }
}

TEST(Touched, TheLargestBufferDoesNotOverflow) {
  std::int64_t const lines = (std::int64_t{1} << 32) - 1;
  EXPECT_EQ(step_between(lines, lines), std::uint64_t{1} << 32);
  std::int64_t const touched = touched_lines(lines, 1);
  auto const last = (static_cast<std::uint64_t>(touched - 1) * step_between(lines, touched)) >> 32;
  EXPECT_GT(last, static_cast<std::uint64_t>(lines) / 100 * 98);
  EXPECT_LT(last, static_cast<std::uint64_t>(lines));
}

TEST(MappingWinsTo, TheLastValueBeforeItLoses) {
  EXPECT_EQ(mapping_wins_to({{1, 1.0, 1.1}, {2, 2.0, 1.2}, {4, 4.0, 1.4}}), 1);
  EXPECT_EQ(mapping_wins_to({{4, 4.0, 1.4}, {1, 1.0, 1.1}, {2, 1.1, 1.2}}), 2) << "in any order";
  EXPECT_EQ(mapping_wins_to({{1, 1.0, 1.0}}), 1) << "a draw is won";
  EXPECT_EQ(mapping_wins_to({{1, 1.2, 1.1}, {2, 1.0, 1.2}}), std::nullopt) << "a later win is luck";
  EXPECT_EQ(mapping_wins_to({}), std::nullopt);
}

}  // namespace
}  // namespace tilestride::zero_copy
