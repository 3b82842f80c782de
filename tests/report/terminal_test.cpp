// SPDX-License-Identifier: BSD-3-Clause
#include "report/terminal.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace tilestride {
namespace {

TEST(Terminal, IsNoFileAndNoClosedDescriptor) {
  int const file = open("/dev/null", O_WRONLY);
  for (int const descriptor : {file, -1}) {
    Terminal const terminal = terminal_of(descriptor);
    EXPECT_FALSE(terminal.is_one || terminal.erases || terminal.colour);
    EXPECT_EQ(terminal.width, 0u);
  }
  close(file);
}

TEST(Painted, HasCodesOnlyInColour) {
  EXPECT_EQ(painted("PASS", Ink::good, true), "\x1b[32mPASS\x1b[0m");
  EXPECT_EQ(painted("PASS", Ink::good, false), "PASS");
  EXPECT_EQ(painted("PASS", Ink::plain, true), "PASS");
  EXPECT_EQ(painted("", Ink::bad, true), "");
}

TEST(Fitted, CutsBetweenCharacters) {
  EXPECT_EQ(fitted("abc", 3), "abc");
  EXPECT_EQ(fitted("abcd", 3), "abc");
  EXPECT_EQ(fitted("abc", 0), "");
  EXPECT_EQ(fitted("a\u00fcb", 2), "a");  // two bytes: two columns are left free for it
  EXPECT_EQ(fitted("a\u00fcb", 3), "a\u00fc");
  EXPECT_EQ(fitted("\u5e45\u5e45", 3), "\u5e45");  // takes two columns
}

}  // namespace
}  // namespace tilestride
