// SPDX-License-Identifier: BSD-3-Clause
#include "report/table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "report/made_up.hpp"

namespace tilestride {
namespace {

using Lines = std::vector<std::string>;

Lines lines_of(std::string const& text) {
  Lines lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// The only line that holds the text.
std::string line_with(std::string const& table, std::string const& text) {
  Lines found;
  for (std::string const& line : lines_of(table))
    if (line.find(text) != std::string::npos) found.push_back(line);
  EXPECT_EQ(found.size(), 1u) << text << " in\n" << table;
  return found.empty() ? "" : found.front();
}

bool holds(std::string const& text, std::string const& part) { return text.find(part) != std::string::npos; }

std::size_t stars(std::string const& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '*'));
}

/// copy (a bound), row_read, padded tile=16, padded tile=32, vendor (a library).
Plan ladder() {
  return made_up_plan(
      "[[case]]\npattern = \"transpose\"\nvariant = [\"copy\", \"row_read\", \"padded\", \"vendor\"]\n"
      "shape = \"64x64\"\ntile = [16, 32]\n");
}

std::vector<Result> all_passed(Plan const& plan, std::vector<double> const& seconds) {
  std::vector<Result> results;
  for (std::size_t i = 0; i < seconds.size(); ++i) results.push_back(passed(plan.cases.at(i), steady(seconds[i])));
  return results;
}

// ---- the table

TEST(GroupTable, HasALineForEveryVariant) {
  Plan const plan = ladder();
  std::string const table = group_table(all_passed(plan, {1, 5, 4, 2, 3}));
  EXPECT_TRUE(holds(lines_of(table).front(), plan.cases[0].problem())) << table;
  for (std::string const name : {"row_read", "padded tile=16", "padded tile=32", "vendor"}) line_with(table, name);
  for (std::string const& line : lines_of(table)) EXPECT_TRUE(line.empty() || line.back() != ' ') << table;
}

TEST(GroupTable, MarksTheFastest) {
  Plan const plan = ladder();
  std::string const table = group_table(all_passed(plan, {9, 5, 4, 2, 3}));
  EXPECT_EQ(stars(table), 1u) << table;
  EXPECT_EQ(stars(line_with(table, "padded tile=32")), 1u) << table;
  EXPECT_EQ(stars(line_with(group_table(all_passed(plan, {9, 5, 4, 2, 1})), "vendor")), 1u);
}

TEST(GroupTable, GoesByTheRateAndNotByTheTime) {
  Plan const plan = ladder();
  std::vector<Result> results = all_passed(plan, {9, 5, 4, 2, 3});
  results[4].work.bytes = 2e9;  // 1.5 times as long, for twice the work
  EXPECT_EQ(stars(line_with(group_table(results), "vendor")), 1u) << group_table(results);
}

TEST(GroupTable, NeverMarksABound) {
  Plan const plan = ladder();
  std::string const table = group_table(all_passed(plan, {1, 5, 4, 2, 3}));
  EXPECT_EQ(stars(table), 1u) << table;
  EXPECT_EQ(stars(line_with(table, "padded tile=32")), 1u) << table;
  EXPECT_EQ(stars(group_table({passed(plan.cases[0], steady(1))})), 0u);
}

TEST(GroupTable, MarksOnlyOneOfEquals) {
  Plan const plan = ladder();
  EXPECT_EQ(stars(group_table(all_passed(plan, {2, 2, 2, 2, 2}))), 1u);
}

TEST(GroupTable, ShowsWhyACaseDidNotPass) {
  Plan const plan = ladder();
  std::string const table = group_table({passed(plan.cases[0], steady(1)), passed(plan.cases[1], steady(2)),
                                         without_figure(plan.cases[2], Outcome::failed, "3 of 4096 wrong"),
                                         without_figure(plan.cases[3], Outcome::error, "needs 9 GiB, free 1 GiB"),
                                         without_figure(plan.cases[4], Outcome::skipped, "built without CUDA")});
  EXPECT_TRUE(holds(line_with(table, "padded tile=16"), "FAILED: 3 of 4096 wrong")) << table;
  EXPECT_TRUE(holds(line_with(table, "padded tile=32"), "error: needs 9 GiB, free 1 GiB")) << table;
  EXPECT_FALSE(holds(table, "vendor")) << table;
  EXPECT_EQ(stars(line_with(table, "row_read")), 1u) << table;
  EXPECT_EQ(stars(table), 1u) << table;
}

TEST(GroupTable, GivesNoFigureOfAWrongAnswer) {
  Plan const plan = ladder();
  Result wrong = passed(plan.cases[1], steady(1e-3), 777.7e6);  // would be 777.7 GB/s, and the fastest
  wrong.outcome = Outcome::failed;
  wrong.reason = "all of it";
  std::string const table = group_table({wrong, passed(plan.cases[2], steady(2))});
  EXPECT_FALSE(holds(table, "777")) << table;
  EXPECT_FALSE(holds(table, "1.00 ms")) << table;
  EXPECT_EQ(stars(line_with(table, "padded tile=16")), 1u) << table;
}

TEST(GroupTable, HidesNothingButSkippedCases) {
  Plan const plan = ladder();
  for (Outcome const outcome : {Outcome::failed, Outcome::error, Outcome::not_run}) {
    std::string const name(name_of(outcome));
    EXPECT_TRUE(holds(group_table({without_figure(plan.cases[4], outcome, "")}), name));
    std::string const table =
        group_table({passed(plan.cases[1], steady(2)), without_figure(plan.cases[4], outcome, "")});
    EXPECT_TRUE(holds(line_with(table, "vendor"), name)) << table;
  }
  EXPECT_EQ(group_table({without_figure(plan.cases[4], Outcome::skipped, "built without CUDA")}), "");
}

TEST(GroupTable, ShowsSkippedCasesWhenItIsAsked) {
  Plan const plan = ladder();
  std::string const table = group_table(
      {passed(plan.cases[1], steady(2)), without_figure(plan.cases[4], Outcome::skipped, "built without CUDA")},
      {true, false});
  EXPECT_TRUE(holds(line_with(table, "vendor"), "skipped: built without CUDA")) << table;
}

/// The text without escape sequences.
std::string without_codes(std::string const& text) {
  return std::regex_replace(text, std::regex("\x1b\\[[0-9;]*m"), "");
}

TEST(GroupTable, HasTheSameColumnsInColour) {
  Plan const plan = ladder();
  std::vector<Result> const results{passed(plan.cases[0], steady(1)), passed(plan.cases[1], steady(2)),
                                    without_figure(plan.cases[2], Outcome::failed, "3 of 4096 wrong"),
                                    without_figure(plan.cases[4], Outcome::skipped, "built without CUDA")};
  std::string const plain = group_table(results, {true, false}), coloured = group_table(results, {true, true});
  EXPECT_FALSE(holds(plain, "\x1b"));
  EXPECT_EQ(without_codes(coloured), plain);
  EXPECT_TRUE(holds(line_with(coloured, "row_read"), "\x1b[1m")) << coloured;  // bold: the fastest
  EXPECT_TRUE(holds(line_with(coloured, "padded"), "\x1b[31m")) << coloured;   // red
  EXPECT_FALSE(holds(line_with(coloured, "  copy "), "\x1b")) << coloured;
}

TEST(GroupTable, SaysOnceWhyAllWereSkipped) {
  Plan const plan = ladder();
  std::vector<Result> results;
  for (Case const& c : plan.cases) results.push_back(without_figure(c, Outcome::skipped, "built without CUDA"));
  Lines const lines = lines_of(group_table(results, {true, false}));
  ASSERT_EQ(lines.size(), 2u);  // the problem, and the reason
  EXPECT_TRUE(holds(lines[0], plan.cases[0].problem()));
  EXPECT_TRUE(holds(lines[1], "skipped: built without CUDA"));
}

TEST(GroupTable, TellsReasonsApart) {
  Plan const plan = ladder();
  std::vector<Result> results;
  for (Case const& c : plan.cases) results.push_back(without_figure(c, Outcome::skipped, "built without CUDA"));
  results[1].reason = "no second GPU";
  std::string const table = group_table(results, {true, false});
  EXPECT_TRUE(holds(line_with(table, "row_read"), "skipped: no second GPU")) << table;
  EXPECT_TRUE(holds(line_with(table, "vendor"), "skipped: built without CUDA")) << table;
  EXPECT_EQ(stars(table), 0u);
}

TEST(GroupTable, ShowsFlags) {
  Plan const plan = ladder();
  std::vector<Result> results = all_passed(plan, {1, 5, 4, 2, 3});
  results[1].flags = {"noisy", "throttled: power cap"};
  std::string const line = line_with(group_table(results), "row_read");
  EXPECT_TRUE(holds(line, "noisy")) << line;
  EXPECT_TRUE(holds(line, "throttled: power cap")) << line;
}

TEST(GroupTable, NamesTheBlockThatARuleChoseWhereNoKeyAsksForIt) {
  Plan const plan = ladder();
  std::vector<Result> results = all_passed(plan, {1, 5, 4, 2, 3});
  results[1].notes["block"] = "32x32x8";
  std::string const table = group_table(results);
  EXPECT_TRUE(holds(line_with(table, "row_read"), "block 32x32x8")) << table;
}

TEST(GroupTable, StatesFigureCeilingAndModel) {
  Plan const plan = ladder();
  std::vector<Result> results = all_passed(plan, {1, 2});
  for (Result& result : results) {
    result.work.bytes = 123.4e9;
    result.ceilings.copy = 246.8e9;
    result.model = {0.5, "copy"};
  }
  std::string const table = group_table(results);
  std::string const line = line_with(table, "row_read");
  EXPECT_TRUE(holds(lines_of(table).front(), "246.8 GB/s")) << table;
  for (std::string const part : {"2.00 s", "61.7", "25.0 %", "0.25", "20"})  // time, rate, of copy, achieved, samples
    EXPECT_TRUE(holds(line, part)) << part << " in " << line;
}

TEST(GroupTable, TellsALatencyInNanosecondsAndCycles) {
  Plan const plan = made_up_plan("[[case]]\npattern = \"chase\"\nspace = \"cuda\"\nvariant = \"portable\"\n");
  Result result = passed(plan.cases[0], steady(3e-5), 1000);  // 30 ns each
  result.ceilings.clock = 2e9;
  result.model = {1e-5, "scratch"};
  std::string const table = group_table({result});
  std::string const line = line_with(table, "portable");
  for (std::string const part : {"30.0", "60.0", "10.0 scratch", "0.33"})  // ns, cycles, model in ns, achieved
    EXPECT_TRUE(holds(line, part)) << part << " in " << table;
  EXPECT_FALSE(holds(table, "of copy")) << table;
}

TEST(GroupTable, HasColumnsForWhatWasPredictedCountedAndUsed) {
  Plan const plan = ladder();
  std::vector<Result> results = all_passed(plan, {1, 2});
  std::string const without = group_table(results);
  for (std::string const column : {"wavefronts", "cycles", "regs"}) EXPECT_FALSE(holds(without, column)) << without;
  results[0].predicted = {{"wavefronts", 32}};
  results[1].measured = {{"cycles", 1.5}};
  results[1].kernels = {{"small", 1, 32, 255, 0, 0, 0, 0, 1, 0.25},
                        {"large", 10, 128, 48, 24, 12, 12, 0, 1, 0.75},
                        {"many", 999, 128, 26, 0, 0, 0, 0, 16, 1.0}};
  std::string const table = group_table(results);
  for (std::string const column : {"wavefronts", "cycles", "regs", "occupancy"})
    EXPECT_TRUE(holds(lines_of(table)[1], column)) << table;
  EXPECT_TRUE(holds(lines_of(table)[2], "32")) << table;
  for (std::string const part : {"1.5", "48", "0.75", "24 B of local memory per thread, 12 B spilled"})
    EXPECT_TRUE(holds(lines_of(table)[3], part)) << part << " in " << table;
}

TEST(GroupTable, HasColumnsForTheIntensityOfWhatComputes) {
  Plan const plan = ladder();
  std::vector<Result> results = all_passed(plan, {1, 2, 3});
  EXPECT_FALSE(holds(group_table(results), "F/B")) << group_table(results);
  EXPECT_FALSE(holds(table_legend(results), "F/B"));
  results[0].intensity = Intensity{170.7, 0.25};
  results[1].intensity = Intensity{42.6};
  std::string const table = group_table(results);
  for (std::string const column : {"ideal F/B", "req. F/B"}) {
    EXPECT_TRUE(holds(lines_of(table)[1], column)) << table;
    EXPECT_TRUE(holds(table_legend(results), column));
  }
  EXPECT_TRUE(std::regex_search(lines_of(table)[2], std::regex(" 171 +0.25 "))) << table;
  EXPECT_TRUE(std::regex_search(lines_of(table)[3], std::regex(" 42.6 +- "))) << table;
  EXPECT_TRUE(std::regex_search(lines_of(table)[4], std::regex(" - +- "))) << table;
}

// ---- the legend, and what was skipped

TEST(Legend, ExplainsTheColumnsThatThereAre) {
  Plan const plan = ladder();
  std::vector<Result> results = all_passed(plan, {1, 2});
  EXPECT_TRUE(holds(table_legend(results), "of copy: ")) << table_legend(results);
  for (std::string const absent : {"of read", "of fma", "worst err", "model"})
    EXPECT_FALSE(holds(table_legend(results), absent)) << table_legend(results);
  results[0].check.accuracy = Accuracy{0.5, 0.5};
  results[1].yardsticks["read"] = {1e9};
  results[1].model = {0.5, "copy"};
  for (std::string const present : {"of copy, of read: ", "worst err", "model: "})
    EXPECT_TRUE(holds(table_legend(results), present)) << table_legend(results);
}

TEST(Legend, IsEmptyWithoutAFigure) {
  Plan const plan = ladder();
  EXPECT_EQ(table_legend({without_figure(plan.cases[0], Outcome::failed, "")}), "");
}

TEST(SkipLine, CountsByReason) {
  Plan const plan = ladder();
  std::vector<Result> results = all_passed(plan, {1});
  EXPECT_EQ(skip_line(results), "");
  auto const skip = [&](SkipReason reason, std::string const& words) {
    results.push_back(without_figure(plan.cases[1], Outcome::skipped, words));
    results.back().skip_reason = reason;
  };
  skip(SkipReason::no_meaning, "no banks");
  EXPECT_EQ(skip_line(results), "1 case skipped (--verbose lists them): no banks (1)\n");
  for (int i = 0; i < 3; ++i) skip(SkipReason::not_built, "no program here has space cuda");
  skip(SkipReason::limit, "a team of 512");
  skip(SkipReason::limit, "a team of 1024");
  skip(SkipReason::limit, "a team of 1024");
  skip(SkipReason::not_built, "built without Kokkos Kernels");
  EXPECT_EQ(
      skip_line(results),
      "8 cases skipped (--verbose lists them): no program here has space cuda, or similar (4); a team of 1024, or "
      "similar (3); no banks (1)\n");
}

// ---- FOM lines

TEST(FomLines, FitTheRegularExpressionOfScripts) {
  std::regex const fom(R"(FOM\s+(\S+)\s+(\S+)\s+=\s+([0-9]+\.[0-9]+)\s+(\S+)$)");
  for (std::string const deck : {"[[case]]\npattern = \"transpose\"\n", "[[case]]\npattern = \"matmul\"\n",
                                 "[[case]]\npattern = \"overlap\"\nbytes = [\"25 %\", \"64 MiB\"]\n"}) {
    Plan const plan = made_up_plan(deck);
    for (double const seconds : {1e-9, 1e-3, 1e5}) {
      for (double const amount : {1e3, 1e18}) {
        std::vector<Result> results;
        for (Case const& c : plan.cases) results.push_back(passed(c, steady(seconds), amount));
        Lines const lines = lines_of(fom_lines(results));
        ASSERT_EQ(lines.size(), 2 * plan.cases.size());
        for (std::size_t i = 0; i < lines.size(); ++i) {
          std::smatch match;
          ASSERT_TRUE(std::regex_match(lines[i], match, fom)) << lines[i];
          EXPECT_EQ(match[1], plan.cases[i / 2].name());
        }
      }
    }
  }
}

TEST(FomLines, StateTheRateAndTheTime) {
  Plan const plan = ladder();
  std::string const name = plan.cases[1].name();
  EXPECT_EQ(fom_lines({passed(plan.cases[1], steady(93.31e-6), 2875.412e9 * 93.31e-6)}),
            "FOM " + name + " bandwidth = 2875.412 GB/s\nFOM " + name + " time_median = 93.310 us\n");
}

TEST(FomLines, TellALatencyInNanoseconds) {
  Plan const plan = made_up_plan("[[case]]\npattern = \"chase\"\nvariant = \"portable\"\n");
  std::string const text = fom_lines({passed(plan.cases[0], steady(3e-5), 1000)});
  EXPECT_TRUE(holds(text, " latency = 30.000 ns\n")) << text;
}

TEST(FomLines, CountFlopsWhereThePatternDoes) {
  Plan const plan = made_up_plan("[[case]]\npattern = \"matmul\"\nvariant = \"simple\"\n");
  Result result = passed(plan.cases[0], steady(2), 3e12);
  result.work.bytes = 1e9;
  std::string const text = fom_lines({result});
  EXPECT_TRUE(holds(text, "= 1500.000 GFLOP/s\n")) << text;
  EXPECT_FALSE(holds(text, "GB/s")) << text;
}

TEST(FomLines, SpeakOnlyOfCasesThatPassed) {
  Plan const plan = ladder();
  std::vector<Result> results = all_passed(plan, {1, 2, 3, 4, 5});
  results[0].outcome = Outcome::failed;
  results[1].outcome = Outcome::error;
  results[2].outcome = Outcome::skipped;
  results[3].outcome = Outcome::not_run;
  Lines const lines = lines_of(fom_lines(results));
  ASSERT_EQ(lines.size(), 2u);
  for (std::string const& line : lines) EXPECT_TRUE(holds(line, plan.cases[4].name())) << line;
  EXPECT_EQ(fom_lines({}), "");
}

// ---- tally

TEST(Tally, CountsHowCasesEnded) {
  Plan const plan = made_up_plan(
      "[[case]]\npattern = \"overlap\"\nvariant = \"three_stage\"\nstreams = { from = 1, to = 15, step = 1 }\n");
  std::vector<Result> results;
  for (Case const& c : plan.cases) {
    std::size_t const i = results.size();
    Outcome const outcome = i < 1    ? Outcome::failed
                            : i < 3  ? Outcome::error
                            : i < 6  ? Outcome::skipped
                            : i < 10 ? Outcome::not_run
                                     : Outcome::passed;
    results.push_back(without_figure(c, outcome, ""));
  }
  ASSERT_EQ(results.size(), 15u);
  Tally const t = tally(results);
  EXPECT_EQ(t.passed, 5u);
  EXPECT_EQ(t.failed, 1u);
  EXPECT_EQ(t.errors, 2u);
  EXPECT_EQ(t.skipped, 3u);
  EXPECT_EQ(t.not_run, 4u);
  Tally const none = tally({});
  EXPECT_EQ(none.passed + none.failed + none.errors + none.skipped + none.not_run, 0u);
}

}  // namespace
}  // namespace tilestride
