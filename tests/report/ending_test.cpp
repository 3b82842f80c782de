// SPDX-License-Identifier: BSD-3-Clause
#include "report/ending.hpp"

#include <gtest/gtest.h>

#include <string>

namespace tilestride {
namespace {

TEST(StatusLine, CountsCasesAndRules) {
  EXPECT_EQ(status_line("FAIL", {1, 2, 3, 4, 5}, {6, 7, 8}),
            "RUN STATUS: FAIL passed=1 failed=2 errors=3 skipped=4 not_run=5 rules_met=6 rules_within_noise=7 "
            "rules_not_met=8");
}

TEST(RuleTally, LeavesOutWhatWasSkipped) {
  std::vector<Verdict> verdicts(8);
  for (std::size_t i : {0u, 1u, 2u}) verdicts[i].judgement = Judgement::met;
  for (std::size_t i : {3u, 4u}) verdicts[i].judgement = Judgement::within_noise;
  verdicts[5].judgement = Judgement::not_met;
  for (std::size_t i : {6u, 7u}) verdicts[i].judgement = Judgement::skipped;
  RuleTally const rules = tally(verdicts);
  EXPECT_EQ(rules.met, 3u);
  EXPECT_EQ(rules.within_noise, 2u);
  EXPECT_EQ(rules.not_met, 1u);
}

TEST(NextSteps, CanBePastedIntoAShell) {
  EXPECT_NE(next_steps("out/result.json").find("scripts/report.sh out/result.json\n"), std::string::npos);
  EXPECT_NE(next_steps("out/result.json").find("tilestride compare out/result.json --to REFERENCE\n"),
            std::string::npos);
  EXPECT_NE(next_steps("it's/a b").find("report.sh 'it'\\''s/a b'\n"), std::string::npos);
  EXPECT_NE(next_steps("-o/result.json").find("report.sh ./-o/result.json\n"), std::string::npos);
}

}  // namespace
}  // namespace tilestride
