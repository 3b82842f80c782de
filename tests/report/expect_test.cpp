// SPDX-License-Identifier: BSD-3-Clause
#include "report/expect.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "process/messages.hpp"
#include "report/made_up.hpp"

namespace tilestride {
namespace {

using Doubles = std::vector<double>;

/// 1 GB in this is 0.9 to 1.1 GB/s, and 1 GB/s in the median.
Doubles noisy() {
  Doubles samples;
  for (int i = 0; i < 6; ++i) samples.insert(samples.end(), {1 / 0.9, 1 / 1.1, 1.0, 1 / 0.95, 1 / 1.05});
  return samples;
}

std::string const two_variants =
    "[[case]]\npattern = \"transpose\"\nvariant = [\"copy\", \"row_read\"]\nshape = \"64x64\"\n";

/// row_read is held against copy; the plan's cases are copy and row_read.
std::string against_copy(std::string const& more) {
  return two_variants + "[[expect]]\npattern = \"transpose\"\nvariant = \"row_read\"\nof = { variant = \"copy\" }\n" +
         more;
}

std::string one_variant(std::string const& rule) {
  return "[[case]]\npattern = \"transpose\"\nvariant = \"row_read\"\nshape = \"64x64\"\n"
         "[[expect]]\npattern = \"transpose\"\nvariant = \"row_read\"\n" +
         rule;
}

/// The verdict of the only comparison of the only rule.
Verdict only_verdict(Plan const& plan, std::vector<Result> const& results) {
  std::vector<Verdict> verdicts = judge(plan, results);
  EXPECT_EQ(verdicts.size(), 1u);
  if (verdicts.size() != 1) return {};
  EXPECT_EQ(verdicts[0].rule, &plan.rules[0]);
  EXPECT_NE(verdicts[0].text, "");
  EXPECT_EQ(verdicts[0].text.find('\n'), std::string::npos) << verdicts[0].text;
  return verdicts[0];
}

/// What becomes of `at_least` when row_read moves 1 GB in these times.
Verdict absolute(Doubles const& samples, std::string const& at_least) {
  Plan const plan = made_up_plan(one_variant("at_least = \"" + at_least + "\"\n"));
  Verdict verdict = only_verdict(plan, {passed(plan.cases[0], samples)});
  verdict.rule = nullptr;  // it dies with the plan
  return verdict;
}

void expect_nothing_reached(Verdict const& verdict) {
  EXPECT_EQ(verdict.reached.median, 0);
  EXPECT_EQ(verdict.reached.low, 0);
  EXPECT_EQ(verdict.reached.high, 0);
}

// ---- the three judgements

TEST(Judge, ComparesAnAbsoluteRateWithItsInterval) {
  Verdict const met = absolute(noisy(), "0.85 GB/s");
  EXPECT_EQ(met.judgement, Judgement::met);
  EXPECT_NEAR(met.reached.median, 1e9, 1);
  EXPECT_GE(met.reached.low, 0.9e9);
  EXPECT_LT(met.reached.low, 1e9);
  EXPECT_GT(met.reached.high, 1e9);
  EXPECT_LE(met.reached.high, 1.1e9 + 1);
  EXPECT_EQ(absolute(noisy(), "1.2 GB/s").judgement, Judgement::not_met);
}

TEST(Judge, IsMetWithinNoiseOnEitherSideOfTheMedian) {
  Estimate const reached = absolute(noisy(), "1 GB/s").reached;
  auto const asked = [](double rate) { return std::to_string(rate / 1e9) + " GB/s"; };
  EXPECT_EQ(absolute(noisy(), asked((reached.low + reached.median) / 2)).judgement, Judgement::within_noise);
  EXPECT_EQ(absolute(noisy(), asked((reached.high + reached.median) / 2)).judgement, Judgement::within_noise);
  EXPECT_EQ(absolute(noisy(), asked(reached.low - 1e6)).judgement, Judgement::met);
  EXPECT_EQ(absolute(noisy(), asked(reached.high + 1e6)).judgement, Judgement::not_met);
}

TEST(Judge, IsMetWhenExactlyWhatWasAskedForIsReached) {
  EXPECT_EQ(absolute(steady(1), "1 GB/s").judgement, Judgement::met);
  EXPECT_EQ(absolute({1}, "1 GB/s").judgement, Judgement::met);
  EXPECT_EQ(absolute({1}, "1.1 GB/s").judgement, Judgement::not_met);
}

TEST(Judge, CountsFlopsWhereThePatternDoes) {
  Plan const plan = made_up_plan(
      "[[case]]\npattern = \"matmul\"\nvariant = \"simple\"\n[[expect]]\npattern = \"matmul\"\nat_least = \"2 "
      "TFLOP/s\"\n");
  Result result = passed(plan.cases[0], steady(1), 2.5e12);
  result.work.bytes = 1e9;
  Verdict const verdict = only_verdict(plan, {result});
  EXPECT_EQ(verdict.judgement, Judgement::met);
  EXPECT_DOUBLE_EQ(verdict.reached.median, 2.5e12);
}

TEST(Judge, SaysWhoWhatAndWhatWasAsked) {
  Plan const plan = made_up_plan(against_copy("at_least = 0.75\nwhy = \"tender 4.2\"\n"));
  Verdict const verdict = only_verdict(plan, {passed(plan.cases[0], steady(1)), passed(plan.cases[1], steady(2))});
  EXPECT_EQ(verdict.judgement, Judgement::not_met);
  for (std::string const part : {"transpose/row_read/openmp/f32/64x64", "0.5", "0.75"})
    EXPECT_NE(verdict.text.find(part), std::string::npos) << part << " is not in: " << verdict.text;
}

TEST(Judge, SaysWhereThereAreTooFewSamplesForAnInterval) {
  std::string const words = "; the range of 5 samples, too few for a 95 % interval";
  EXPECT_NE(absolute({1, 1.1, 0.9, 1, 1}, "0.5 GB/s").text.find(words), std::string::npos);
  EXPECT_EQ(absolute({1, 1.1, 0.9, 1, 1, 1}, "0.5 GB/s").text.find("range"), std::string::npos);
}

// ---- cases against cases

TEST(Judge, PairsCasesOfOneSessionSoThatDriftCancels) {
  Plan const plan = made_up_plan(against_copy("at_least = 0.95\n"));
  auto const verdict = [&](double seconds_of_copy, std::string const& session) {
    return only_verdict(plan, {passed(plan.cases[0], drifting(seconds_of_copy), 1e9, "a"),
                               passed(plan.cases[1], drifting(1), 1e9, session)});
  };
  Verdict const slow = verdict(0.9, "a");
  EXPECT_EQ(slow.judgement, Judgement::not_met);
  EXPECT_NEAR(slow.reached.low, 0.9, 1e-9);
  EXPECT_NEAR(slow.reached.high, 0.9, 1e-9);
  EXPECT_EQ(verdict(0.97, "a").judgement, Judgement::met);

  // The same samples of two sessions: the machine may have been another then, and the drift stays in the interval.
  EXPECT_EQ(verdict(0.9, "b").judgement, Judgement::within_noise);
  EXPECT_EQ(verdict(0.97, "b").judgement, Judgement::within_noise);
}

TEST(Judge, SeesInPairsWhatTheMediansHide) {
  // In nine rounds of ten row_read is the faster by a tenth, in the tenth something else held it up.
  Plan const plan = made_up_plan(against_copy("at_least = 1.05\n"));
  Doubles mine, other;
  for (int round = 0; round < 40; ++round) {
    double const speed = 1 + 0.05 * round;
    other.push_back(speed);
    mine.push_back(round % 10 == 0 ? 5 * speed : speed / 1.1);
  }
  auto const verdict = [&](std::string const& session) {
    return only_verdict(plan, {passed(plan.cases[0], other, 1e9, "a"), passed(plan.cases[1], mine, 1e9, session)});
  };
  EXPECT_EQ(verdict("a").judgement, Judgement::met);
  EXPECT_NEAR(verdict("a").reached.median, 1.1, 1e-9);
  EXPECT_EQ(verdict("b").judgement, Judgement::within_noise);
}

TEST(Judge, ComparesWorkPerSecondAndNotTime) {
  Plan const plan = made_up_plan(against_copy("at_least = 0.95\n"));
  for (std::string const session : {"a", "b"}) {
    Verdict const verdict = only_verdict(
        plan, {passed(plan.cases[0], steady(1), 1e9, "a"), passed(plan.cases[1], steady(2), 2e9, session)});
    EXPECT_EQ(verdict.judgement, Judgement::met);
    EXPECT_NEAR(verdict.reached.median, 1, 1e-12);
  }
}

TEST(Judge, GivesEveryComparisonOfEveryRuleAVerdict) {
  Plan const plan = made_up_plan(
      "[[case]]\npattern = \"transpose\"\nvariant = [\"copy\", \"row_read\"]\nshape = [\"64x64\", \"8x8\"]\n"
      "[[expect]]\npattern = \"transpose\"\nvariant = \"row_read\"\nof = { variant = \"copy\" }\nat_least = 0.9\n"
      "[[expect]]\npattern = \"transpose\"\nvariant = \"copy\"\nat_least = \"0.5 GB/s\"\n");
  ASSERT_EQ(plan.cases.size(), 4u);  // copy and row_read of 64x64, then of 8x8
  std::vector<Verdict> const verdicts =
      judge(plan, {passed(plan.cases[0], steady(1)), passed(plan.cases[1], steady(1)), passed(plan.cases[2], steady(1)),
                   passed(plan.cases[3], steady(3))});
  ASSERT_EQ(verdicts.size(), 4u);
  EXPECT_EQ(verdicts[0].rule, &plan.rules[0]);
  EXPECT_EQ(verdicts[1].rule, &plan.rules[0]);
  EXPECT_EQ(verdicts[2].rule, &plan.rules[1]);
  EXPECT_EQ(verdicts[3].rule, &plan.rules[1]);
  EXPECT_EQ(verdicts[0].judgement, Judgement::met);
  EXPECT_EQ(verdicts[1].judgement, Judgement::not_met);
  EXPECT_EQ(verdicts[2].judgement, Judgement::met);
  EXPECT_EQ(verdicts[3].judgement, Judgement::met);
}

TEST(Judge, SaysNothingWithoutRules) {
  Plan const plan = made_up_plan(two_variants);
  EXPECT_TRUE(judge(plan, {passed(plan.cases[0], steady(1)), passed(plan.cases[1], steady(1))}).empty());
}

// ---- the best of several

std::string const streams_deck =
    "[[case]]\npattern = \"overlap\"\nvariant = [\"three_stage\", \"kokkos_instances\"]\nstreams = [1, 2, 4]\n"
    "[[expect]]\npattern = \"overlap\"\nvariant = \"kokkos_instances\"\nbest_over = [\"streams\"]\n"
    "of = { variant = \"three_stage\" }\nat_least = 0.97\n";

/// All six cases, with seconds for each, in the order of the plan (three_stage, then kokkos_instances).
std::vector<Result> all_streams(Plan const& plan, Doubles const& seconds) {
  std::vector<Result> results;
  for (std::size_t i = 0; i < seconds.size(); ++i) results.push_back(passed(plan.cases.at(i), steady(seconds[i])));
  return results;
}

TEST(Judge, SetsTheBestAgainstTheBest) {
  Plan const plan = made_up_plan(streams_deck);
  ASSERT_EQ(plan.cases.size(), 6u);
  Verdict const met = only_verdict(plan, all_streams(plan, {3, 2, 4, 9, 9, 2}));
  EXPECT_EQ(met.judgement, Judgement::met);
  EXPECT_NEAR(met.reached.median, 1, 1e-12);
  EXPECT_NE(met.text.find(plan.cases[5].name()), std::string::npos) << met.text;
  Verdict const not_met = only_verdict(plan, all_streams(plan, {3, 1, 4, 9, 9, 2}));
  EXPECT_EQ(not_met.judgement, Judgement::not_met);
  EXPECT_NEAR(not_met.reached.median, 0.5, 1e-12);
}

TEST(Judge, TakesTheBestOfThoseThatPassed) {
  Plan const plan = made_up_plan(streams_deck);
  for (Outcome const outcome : {Outcome::failed, Outcome::error, Outcome::not_run, Outcome::skipped}) {
    std::vector<Result> results = all_streams(plan, {3, 2, 4, 9, 5, 2});
    results[5] = without_figure(plan.cases[5], outcome, "for the test");
    EXPECT_NEAR(only_verdict(plan, results).reached.median, 0.4, 1e-12);
    results[1] = without_figure(plan.cases[1], outcome, "for the test");
    EXPECT_NEAR(only_verdict(plan, results).reached.median, 0.6, 1e-12);
  }
}

// ---- nothing to compare

TEST(Judge, DoesNotCountACaseThatDidNotPass) {
  for (Outcome const outcome : {Outcome::failed, Outcome::error, Outcome::not_run, Outcome::skipped}) {
    for (std::string const more : {"", "optional = true\n"}) {
      if (outcome == Outcome::skipped && !more.empty()) continue;
      Plan const plan = made_up_plan(against_copy("at_least = 0.01\n" + more));
      for (std::size_t const bad : {0u, 1u}) {
        std::vector<Result> results{passed(plan.cases[0], steady(1)), passed(plan.cases[1], steady(1))};
        results[bad] = without_figure(plan.cases[bad], outcome, "for the test");
        Verdict const verdict = only_verdict(plan, results);
        EXPECT_EQ(verdict.judgement, Judgement::not_met) << name_of(outcome);
        expect_nothing_reached(verdict);
        EXPECT_NE(verdict.text.find(plan.cases[bad].name()), std::string::npos) << verdict.text;
      }
    }
  }
}

TEST(Judge, DoesNotCountTheSamplesOfAWrongAnswer) {
  Plan const plan = made_up_plan(one_variant("at_least = \"0.1 GB/s\"\n"));
  for (Outcome const outcome : {Outcome::failed, Outcome::error, Outcome::not_run, Outcome::skipped}) {
    Result result = passed(plan.cases[0], steady(1));
    result.outcome = outcome;
    result.reason = "for the test";
    Verdict const verdict = only_verdict(plan, {result});
    EXPECT_EQ(verdict.judgement, Judgement::not_met);
    expect_nothing_reached(verdict);
  }
}

TEST(Judge, SkipsAnOptionalRuleWhenOneSideWasSkipped) {
  Plan const plan = made_up_plan(against_copy("at_least = 0.01\noptional = true\n"));
  for (std::size_t const skipped : {0u, 1u}) {
    std::vector<Result> results{passed(plan.cases[0], steady(1)), passed(plan.cases[1], steady(1))};
    results[skipped] = without_figure(plan.cases[skipped], Outcome::skipped, "built without CUDA");
    Verdict const verdict = only_verdict(plan, results);
    EXPECT_EQ(verdict.judgement, Judgement::skipped);
    expect_nothing_reached(verdict);
  }
  EXPECT_EQ(only_verdict(plan, {without_figure(plan.cases[0], Outcome::skipped, "no"),
                                without_figure(plan.cases[1], Outcome::skipped, "no")})
                .judgement,
            Judgement::skipped);
}

TEST(Judge, JudgesAnOptionalRuleThatCanBeJudged) {
  Plan const plan = made_up_plan(against_copy("at_least = 0.9\noptional = true\n"));
  EXPECT_EQ(only_verdict(plan, {passed(plan.cases[0], steady(1)), passed(plan.cases[1], steady(1))}).judgement,
            Judgement::met);
  EXPECT_EQ(only_verdict(plan, {passed(plan.cases[0], steady(1)), passed(plan.cases[1], steady(2))}).judgement,
            Judgement::not_met);
}

// ---- bound, model, file

TEST(Judge, ComparesWithTheCeilingOfTheSameRounds) {
  Plan const plan = made_up_plan(one_variant("of = \"bound\"\nat_least = 0.8\n"));
  auto const verdict = [&](double share) {
    Result result = passed(plan.cases[0], drifting(1));
    for (double const seconds : drifting(share)) result.yardsticks["copy"].push_back(1e9 / seconds);
    result.yardsticks["fma"] = steady(1);  // not the ceiling of this pattern
    return only_verdict(plan, {result});
  };
  Verdict const met = verdict(0.82);
  EXPECT_EQ(met.judgement, Judgement::met);
  EXPECT_NEAR(met.reached.median, 0.82, 1e-9);
  EXPECT_EQ(verdict(0.78).judgement, Judgement::not_met);
}

TEST(Judge, ComparesFlopsWithTheFmaCeiling) {
  Plan const plan = made_up_plan(
      "[[case]]\npattern = \"matmul\"\nvariant = \"simple\"\n"
      "[[expect]]\npattern = \"matmul\"\nof = \"bound\"\nat_least = 0.4\n");
  Result result = passed(plan.cases[0], steady(2), 1e12);
  result.yardsticks["copy"] = steady(1e15);
  result.yardsticks["fma"] = steady(1e12);
  Verdict const verdict = only_verdict(plan, {result});
  EXPECT_EQ(verdict.judgement, Judgement::met);
  EXPECT_NEAR(verdict.reached.median, 0.5, 1e-12);
}

TEST(Judge, NeedsTheCeilingAndTheModel) {
  for (std::string const of : {"bound", "model"}) {
    Plan const plan = made_up_plan(one_variant("of = \"" + of + "\"\nat_least = 0.01\noptional = true\n"));
    Verdict const verdict = only_verdict(plan, {passed(plan.cases[0], steady(1))});
    EXPECT_EQ(verdict.judgement, Judgement::not_met) << of;
    expect_nothing_reached(verdict);
  }
}

TEST(Judge, ComparesWithTheModel) {
  Plan const plan = made_up_plan(one_variant("of = \"model\"\nat_least = 0.8\n"));
  auto const judgement = [&](double seconds) {
    Result result = passed(plan.cases[0], noisy());
    result.model = {seconds, "copy"};
    return only_verdict(plan, {result}).judgement;
  };
  EXPECT_EQ(judgement(0.95), Judgement::met);
  EXPECT_EQ(judgement(0.8), Judgement::within_noise);
  EXPECT_EQ(judgement(0.7), Judgement::not_met);
}

std::string document(std::vector<Result> const& results) {
  Json json{{"schema", result_schema}, {"deck", ""}, {"status", ""}, {"only", ""}, {"rules", Json::array()},
            {"results", Json::array()}};
  for (Result const& result : results) json["results"].push_back(to_json(result));
  return to_line(json);
}

TEST(Judge, ComparesWithAResultFile) {
  ScratchFolder const folder;
  std::string const file = folder.write("old.json", "{}");
  Plan const plan = made_up_plan(one_variant("of = \"" + file + "\"\nat_least = 0.95\n"));
  Result const now = passed(plan.cases[0], steady(1));

  folder.write("old.json", document({passed(plan.cases[0], steady(0.97))}));
  Verdict const met = only_verdict(plan, {now});
  EXPECT_EQ(met.judgement, Judgement::met);
  EXPECT_NEAR(met.reached.median, 0.97, 1e-12);

  folder.write("old.json", document({passed(plan.cases[0], steady(0.9))}));
  EXPECT_EQ(only_verdict(plan, {now}).judgement, Judgement::not_met);

  folder.write("old.json", document({passed(plan.cases[0], noisy())}));
  EXPECT_EQ(only_verdict(plan, {passed(plan.cases[0], steady(1 / 0.95))}).judgement, Judgement::within_noise);
}

TEST(Judge, NeverPairsWithAResultFile) {
  ScratchFolder const folder;
  std::string const file = folder.write("old.json", "{}");
  Plan const plan = made_up_plan(one_variant("of = \"" + file + "\"\nat_least = 0.95\n"));
  folder.write("old.json", document({passed(plan.cases[0], drifting(0.9), 1e9, "a")}));
  EXPECT_EQ(only_verdict(plan, {passed(plan.cases[0], drifting(1), 1e9, "a")}).judgement, Judgement::within_noise);
}

TEST(Judge, HasNothingToCompareWhenTheFileLacksTheCase) {
  ScratchFolder const folder;
  std::string const file = folder.write("old.json", "{}");
  Plan const plan = made_up_plan(one_variant("of = \"" + file + "\"\nat_least = 0.01\n"));
  for (std::string const& text :
       {document({}), document({without_figure(plan.cases[0], Outcome::failed, "3 of 9 wrong")})}) {
    folder.write("old.json", text);
    Verdict const verdict = only_verdict(plan, {passed(plan.cases[0], steady(1))});
    EXPECT_EQ(verdict.judgement, Judgement::not_met);
    expect_nothing_reached(verdict);
  }
}

TEST(Judge, ThrowsForAFileThatCannotBeRead) {
  ScratchFolder const folder;
  std::string const file = folder.write("old.json", "no JSON");
  Plan const plan = made_up_plan(one_variant("of = \"" + file + "\"\nat_least = 0.01\n"));
  std::vector<Result> const results{passed(plan.cases[0], steady(1))};
  EXPECT_THROW(judge(plan, results), std::runtime_error);
  std::filesystem::remove(file);
  EXPECT_THROW(judge(plan, results), std::runtime_error);
}

}  // namespace
}  // namespace tilestride
