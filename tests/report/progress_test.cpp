// SPDX-License-Identifier: BSD-3-Clause
#include "report/progress.hpp"

#include <gtest/gtest.h>

#include <string>

namespace tilestride {
namespace {

TEST(ProgressLine, KnowsNothingBeforeTheFirstCase) {
  EXPECT_EQ(progress_line({0, 4, 0, 0, 10, 3}, "sampling x", 80), "[0/4]: sampling x");
}

TEST(ProgressLine, WeighsCasesByTheirPlannedTime) {
  // One of four cases is done, 8 of the 10 planned seconds; they took twice as long.
  EXPECT_EQ(progress_line({1, 4, 8, 16, 10, 16}, "x", 80), "[1/4] about 4 s left: x");
  EXPECT_EQ(progress_line({1, 4, 1, 16, 10, 16}, "x", 80), "[1/4] about 2 min 24 s left: x");
}

TEST(ProgressLine, CountsDown) {
  EXPECT_EQ(progress_line({1, 4, 8, 16, 10, 18}, "x", 80), "[1/4] about 2 s left: x");
  EXPECT_EQ(progress_line({1, 4, 8, 16, 10, 99}, "x", 80), "[1/4] about 1 s left: x");
}

TEST(ProgressLine, IsNarrowerThanTheTerminal) {
  std::string const name(200, 'x');
  for (std::size_t const width : {1u, 2u, 10u, 80u})
    EXPECT_EQ(progress_line({1, 4, 8, 16, 10, 16}, name, width).size(), width - 1);
}

}  // namespace
}  // namespace tilestride
