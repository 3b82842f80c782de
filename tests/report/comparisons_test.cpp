// SPDX-License-Identifier: BSD-3-Clause
#include "report/comparisons.hpp"

#include "report/made_up.hpp"

namespace tilestride {
namespace {

bool holds(std::string const& text, std::string const& part) { return text.find(part) != std::string::npos; }

Plan chase(std::string const& keys) { return made_up_plan("[[case]]\npattern = \"chase\"\nspace = \"cuda\"\n" + keys); }

Result const& set(std::vector<Result>& results, Plan const& plan, std::string const& name, double seconds) {
  for (std::size_t i = 0; i < plan.cases.size(); ++i) {
    if (plan.cases[i].name() == name) return results[i] = passed(plan.cases[i], steady(seconds), 1000);
  }
  throw std::logic_error(name);
}

std::vector<Result> nothing_of(Plan const& plan) {
  std::vector<Result> results;
  for (Case const& c : plan.cases) results.push_back(without_figure(c, Outcome::skipped, "of no interest"));
  return results;
}

TEST(PriceTable, IsEmptyWithoutTwins) {
  Plan const plan = chase("variant = \"portable\"\n");
  std::vector<Result> results = nothing_of(plan);
  EXPECT_EQ(price_table(results), "");
  set(results, plan, "chase/portable/cuda/i32/offset=0/unroll=1", 1);
  EXPECT_EQ(price_table(results), "");
}

TEST(PriceTable, IsNativeTimeOverPortableTime) {
  Plan const plan = chase("");
  std::vector<Result> results = nothing_of(plan);
  set(results, plan, "chase/portable/cuda/i32/offset=0/unroll=1", 4);
  set(results, plan, "chase/native/cuda/i32/offset=0/unroll=1", 3);
  EXPECT_TRUE(holds(price_table(results), "0.750  cases 1")) << price_table(results);
}

TEST(PriceTable, PairsOnlyEqualKeysAndNamesTheLowest) {
  Plan const plan = chase("unroll = [1, 2, 3]\n");
  std::vector<Result> results = nothing_of(plan);
  for (int unroll : {1, 2, 3}) {
    set(results, plan, "chase/portable/cuda/i32/offset=0/unroll=" + std::to_string(unroll), 10);
    set(results, plan, "chase/native/cuda/i32/offset=0/unroll=" + std::to_string(unroll), 10 - unroll);
  }
  std::string const text = price_table(results);
  EXPECT_TRUE(holds(text, "0.800  cases 3")) << text;
  EXPECT_TRUE(holds(text, "lowest 0.700 in chase/portable/cuda/i32/offset=0/unroll=3")) << text;
}

TEST(PriceTable, PairsAKeyThatThePortableVariantLacksOnlyAtItsDefault) {
  Plan const plan = chase("width = [2, 4, 8]\n");
  std::vector<Result> results = nothing_of(plan);
  set(results, plan, "chase/portable/cuda/i32/offset=0/unroll=1", 10);
  for (int width : {2, 4, 8})
    set(results, plan, "chase/native_wide/cuda/i32/offset=0/unroll=1/width=" + std::to_string(width), width);
  EXPECT_TRUE(holds(price_table(results), "0.400  cases 1")) << price_table(results);
}

TEST(PriceTable, TakesNothingFromACaseThatDidNotPass) {
  Plan const plan = chase("");
  std::vector<Result> results = nothing_of(plan);
  set(results, plan, "chase/native/cuda/i32/offset=0/unroll=1", 3);
  EXPECT_EQ(price_table(results), "");
}

TEST(QuotedTable, SetsTheirFigureBesideOurs) {
  Plan const plan = chase("offset = [2, 3]\n");
  std::vector<Result> results = nothing_of(plan);
  set(results, plan, "chase/native/cuda/i32/offset=2/unroll=1", 1);
  EXPECT_EQ(published_table(results), "");  // nobody quotes that one
  set(results, plan, "chase/native/cuda/i32/offset=3/unroll=1", 2.5e-6);
  std::string const text = published_table(results);
  EXPECT_TRUE(holds(text, "1.5 us")) << text;
  EXPECT_TRUE(holds(text, "2.5 us")) << text;
  EXPECT_TRUE(holds(text, "a GPU")) << text;
}

/// 1.5 us then, 0.5 us here, 0.25 us rewritten.
TEST(QuotedTable, TellsTheHardwareFromTheRewriting) {
  Plan const plan = chase("offset = 3\nunroll = [1, 2]\n");
  std::vector<Result> results = nothing_of(plan);
  set(results, plan, "chase/native/cuda/i32/offset=3/unroll=1", 0.5e-6);
  ASSERT_EQ(quotes(results).size(), 1u);
  EXPECT_DOUBLE_EQ(quotes(results)[0].hardware, 3);
  EXPECT_EQ(quotes(results)[0].best, nullptr);
  EXPECT_TRUE(holds(published_table(results), "rewriting: no portable variant")) << published_table(results);
  set(results, plan, "chase/portable/cuda/i32/offset=3/unroll=1", 1e-6);
  set(results, plan, "chase/portable/cuda/i32/offset=3/unroll=2", 0.25e-6);
  Quote const quote = quotes(results)[0];
  EXPECT_EQ(quote.best->planned->name(), "chase/portable/cuda/i32/offset=3/unroll=2");
  EXPECT_DOUBLE_EQ(quote.rewriting, 2);
  std::string const text = published_table(results);
  EXPECT_TRUE(holds(text, "hardware: 3.00 times as fast; rewriting: 2.00 times")) << text;
  EXPECT_TRUE(holds(text, "then to now: 6.00 times")) << text;
}

TEST(QuotedTable, SetsARatioBesideTheRatioOfTheSameTwoKernels) {
  Plan const plan = chase("offset = 4\n");
  std::vector<Result> results = nothing_of(plan);
  set(results, plan, "chase/native/cuda/i32/offset=4/unroll=1", 2e-6);
  EXPECT_TRUE(quotes(results).empty());  // what it compares with was not measured
  set(results, plan, "chase/native_wide/cuda/i32/offset=4/unroll=1/width=4", 3e-6);
  Quote const quote = quotes(results).at(0);
  EXPECT_DOUBLE_EQ(quote.here, 1.5);
  EXPECT_EQ(quote.hardware, 0);
  EXPECT_EQ(quote.rewriting, 0);
  EXPECT_TRUE(holds(published_table(results), "0.90 times as fast as native_wide then (a GPU), 1.50 times here"))
      << published_table(results);
}

TEST(QuotedTable, GivesAPeakNoFactors) {
  Plan const plan = chase("offset = 5\n");
  std::vector<Result> results = nothing_of(plan);
  set(results, plan, "chase/native/cuda/i32/offset=5/unroll=1", 1);
  EXPECT_EQ(quotes(results).at(0).hardware, 0);
  EXPECT_TRUE(holds(published_table(results), "by the data sheet (a link)")) << published_table(results);
}

TEST(QuotedTable, LeavesHostsOut) {
  Plan const plan = made_up_plan("[[case]]\npattern = \"chase\"\nspace = \"openmp\"\noffset = 3\n");
  std::vector<Result> results = nothing_of(plan);
  set(results, plan, "chase/native/openmp/i32/offset=3/unroll=1", 2.5e-6);
  EXPECT_EQ(published_table(results), "");
}

TEST(Plan, SkipsOnHostsWhatHasNoMeaningThere) {
  Plan const plan = made_up_plan("[[case]]\npattern = \"chase\"\nspace = \"serial\"\n");
  ASSERT_EQ(plan.cases.size(), 4u);
  EXPECT_FALSE(plan.cases[0].skip);
  EXPECT_EQ(plan.cases[1].skip.value().words, "raw CUDA has no meaning on a host");
  EXPECT_EQ(plan.cases[2].skip.value().words, "there are no lanes");
}

TEST(Plan, TakesRangesFromZeroWhereZeroIsAllowed) {
  Plan const plan = chase("variant = \"portable\"\noffset = { from = 0, to = 6, step = 3 }\n");
  ASSERT_EQ(plan.cases.size(), 3u);
  EXPECT_EQ(plan.cases[0].integer("offset"), 0);
  EXPECT_EQ(plan.cases[2].integer("offset"), 6);
}

}  // namespace
}  // namespace tilestride
