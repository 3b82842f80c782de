// SPDX-License-Identifier: BSD-3-Clause
#include "report/conditions.hpp"

#include <gtest/gtest.h>

namespace tilestride {
namespace {

Json header(Json const& unseen, Json const& tools) {
  return {{"conditions", {{"cores", "2"}, {"huge pages", "madvise"}}}, {"unseen", unseen}, {"tools", tools}};
}

TEST(ConditionLines, TellOnlyTheHostWhenNothingElseMatters) {
  EXPECT_EQ(condition_lines(header(Json::object(), Json::array()), false), "conditions: cores 2, huge pages madvise\n");
}

TEST(ConditionLines, TellWhatChangesFigures) {
  Json const unseen{{"CUDA_LAUNCH_BLOCKING", "1"}, {"KOKKOS_TOOLS_LIBS", "libkp.so"}};
  Json const tools{"traced by gdb", "a Kokkos tool by --kokkos-tools-libs"};
  EXPECT_EQ(condition_lines(header(unseen, tools), false),
            "conditions: cores 2, huge pages madvise\n"
            "environment: figures may differ, because this is set: CUDA_LAUNCH_BLOCKING=1, KOKKOS_TOOLS_LIBS=libkp.so "
            "(a Kokkos tool)\n"
            "tools: figures may differ: traced by gdb, a Kokkos tool by --kokkos-tools-libs\n");
  EXPECT_EQ(condition_lines(header(unseen, Json::array()), true),
            "conditions: cores 2, huge pages madvise\n"
            "environment: kept from the workers: CUDA_LAUNCH_BLOCKING=1, KOKKOS_TOOLS_LIBS=libkp.so "
            "(a Kokkos tool)\n");
}

TEST(ConditionLines, StayLinesWhateverAVariableHolds) {
  Json unseen = Json::object();
  unseen["LD_PRELOAD"] = "a\nFOM x \xff\x1b";
  std::string const text = condition_lines(header(unseen, Json::array()), false);
  EXPECT_EQ(text.substr(text.find('\n') + 1),
            "environment: figures may differ, because this is set: LD_PRELOAD=a\\nFOM x \xef\xbf\xbd\\u001b (a library "
            "before all others)\n");
}

}  // namespace
}  // namespace tilestride
