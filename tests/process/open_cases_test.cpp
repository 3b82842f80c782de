// SPDX-License-Identifier: BSD-3-Clause
#include "process/open_cases.hpp"

#include <gtest/gtest.h>

#include <map>

#include "report/made_up.hpp"

namespace tilestride {
namespace {

class OpenCasesTest : public testing::Test {
 protected:
  OpenCasesTest() {
    supervision_.on_result = [this](std::size_t i, Result const& result) {
      EXPECT_TRUE(results_.emplace(i, result).second) << "reported twice";
    };
  }

  Plan plan_ = made_up_plan(
      "[[case]]\npattern = \"transpose\"\nvariant = [\"copy\", \"row_read\"]\nshape = [\"8x8\", \"16x16\"]\n");
  CaseIndex index_ = index_cases(plan_);
  Program program_{"tilestride-cuda", "", {}, false};
  Supervision supervision_;
  std::map<std::size_t, Result> results_;
};

TEST_F(OpenCasesTest, EachIsReportedOnceWithItsProgram) {
  OpenCases open(plan_, index_, {&program_, {0, 2, 3}, 0}, supervision_);
  EXPECT_EQ(open.size(), 3u);
  EXPECT_FALSE(open.has(1));
  open.close(2, passed(plan_.cases[2], steady(1)));
  open.close(2, Outcome::error, "again");
  open.close(1, Outcome::error, "not of this assignment");
  ASSERT_EQ(results_.size(), 1u);
  EXPECT_EQ(results_.at(2).outcome, Outcome::passed);
  EXPECT_EQ(results_.at(2).program, "tilestride-cuda");
  open.close_all(Outcome::skipped, "no device", SkipReason::no_device);
  EXPECT_TRUE(open.empty());
  EXPECT_EQ(results_.size(), 3u);
  EXPECT_EQ(results_.at(3).reason, "no device");
  EXPECT_EQ(results_.at(3).skip_reason, SkipReason::no_device);
  EXPECT_EQ(results_.at(3).planned, &plan_.cases[3]);
}

TEST_F(OpenCasesTest, AreFoundByNameWhileTheyAreOpen) {
  OpenCases open(plan_, index_, {&program_, {0, 1}, 0}, supervision_);
  EXPECT_EQ(open.find(plan_.cases[1].name()), 1u);
  EXPECT_FALSE(open.find(plan_.cases[2].name()));
  EXPECT_FALSE(open.find("no such case"));
  EXPECT_FALSE(open.find(""));
  open.close(1, Outcome::error, "it broke");
  EXPECT_FALSE(open.find(plan_.cases[1].name()));
}

TEST_F(OpenCasesTest, CommandsHoldWhatIsOpenProblemByProblem) {
  ASSERT_EQ(plan_.groups.size(), 2u);
  OpenCases open(plan_, index_, {&program_, {0, 1, 2, 3}, 0}, supervision_);
  auto const names = [&] {
    std::vector<std::vector<std::string>> all;
    for (Json const& command : open.commands(0)) {
      all.emplace_back();
      for (Json const& one : command.at("cases")) all.back().push_back(one.at("name"));
    }
    return all;
  };
  auto const before = names();
  ASSERT_EQ(before.size(), 2u);
  EXPECT_EQ(before[0].size() + before[1].size(), 4u);
  auto const seeds = open.commands(0);
  EXPECT_NE(seeds[0].at("seed"), seeds[1].at("seed"));
  for (std::size_t const i : plan_.groups[0]) open.close(i, Outcome::error, "it broke");
  auto const after = names();
  ASSERT_EQ(after.size(), 1u);
  EXPECT_EQ(after[0], before[1]);
  EXPECT_EQ(open.commands(0)[0].at("seed"), seeds[1].at("seed"));  // the order of its samples stays the same
}

}  // namespace
}  // namespace tilestride
