// SPDX-License-Identifier: BSD-3-Clause
#include "ranks/baseline.hpp"

#include <gtest/gtest.h>

#include "scratch_folder.hpp"

namespace tilestride {
namespace {

TEST(Baseline, IsReadAsTheToolWritesIt) {
  ScratchFolder const folder;
  Baseline const baseline = read_baseline(folder.write("baseline.json",
                                                       R"({"schema": 1, "results": 40, "cases": {
          "a": {"median": 1984.2, "mad": 6.1, "own_mad": 0.0009, "devices": {"GPU-5f1c": 1990.4, "nid1:3": 1900, "broken": 0}},
          "b": {"median": 1, "mad": 0, "devices": {}}}})"));
  ASSERT_EQ(baseline.cases.size(), 2u);
  EXPECT_EQ(baseline.cases.at("a").own_mad, 0.0009);
  EXPECT_EQ(baseline.cases.at("a").devices, (std::map<std::string, double>{{"GPU-5f1c", 1990.4}, {"nid1:3", 1900}}));
  EXPECT_EQ(baseline.cases.at("b").own_mad, 0);
}

TEST(Baseline, WhatIsNoneIsRefusedByItsName) {
  ScratchFolder const folder;
  for (char const* text :
       {"", "[]", "{}", R"({"schema": 1})", R"({"schema": 2, "cases": {}})", R"({"schema": 1, "cases": {"a": {}}})",
        R"({"schema": 1, "cases": {"a": 1}})", R"({"schema": 1, "cases": {"a": {"devices": {"GPU": "fast"}}}})",
        R"({"schema": 1, "cases": {"a": {"devices": {"GPU": 1}}})"}) {
    try {
      read_baseline(folder.write("wrong.json", text));
      ADD_FAILURE() << text;
    } catch (std::runtime_error const& problem) {
      EXPECT_NE(std::string(problem.what()).find("wrong.json"), std::string::npos) << problem.what();
    }
  }
  EXPECT_THROW(read_baseline(folder.path("none.json")), std::runtime_error);
}

}  // namespace
}  // namespace tilestride
