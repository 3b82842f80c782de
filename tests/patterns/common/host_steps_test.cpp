// SPDX-License-Identifier: BSD-3-Clause

// Models of hosts, which a memory card completes: with its costs in round numbers, the predictions are worked out by
// hand.

#include "patterns/common/host_steps.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "patterns/catalogue.hpp"
#include "plan/plan.hpp"

namespace tilestride {
namespace {

std::string step(std::string const& variant) { return "steps/" + variant + "/openmp/f32/passes=255"; }
std::string walk(std::string const& variant, std::string const& bytes, std::string const& pitch) {
  return "tiles/" + variant + "/openmp/f32/bytes=" + bytes + "/pitch=" + pitch;
}
std::string nothing(std::string const& threads) {
  return "launch/teams/openmp/i32/op=nothing/threads=" + threads + "/team=1024";
}
std::string reading(std::string const& bytes) {
  return "bandwidth/global/openmp/i32/bytes=" + bytes + "/reads=part/readers=0/passes=0";
}

/// 1 us for a parallel loop, 10 ns for each of its teams.
Card made_up_card() { return {{nothing("1024"), 1e6}, {nothing("4194304"), 1e8}}; }

/// The first case of a deck; its reads, and its copies if not said, are as fast as any.
Model model_of(std::string const& deck, Card const& card, double copy = 1e15) {
  std::vector<Mistake> mistakes;
  Deck const parsed = parse_deck("schema = 1\n[[case]]\nspace = \"openmp\"\n" + deck, "made up", mistakes);
  Build build;
  build.spaces = {"openmp"};
  build.default_space = "openmp";
  Plan const plan = make_plan(parsed, catalogue(), build, "", mistakes);
  EXPECT_TRUE(mistakes.empty());
  Case c = plan.cases.front();
  c.card = std::make_shared<Card const>(card);
  Ceilings ceilings;
  ceilings.copy = copy;
  ceilings.read = ceilings.fma = 1e15;
  return c.model(ceilings);
}

TEST(HostSteps, TreesGoOverAllElementsForEachHalving) {
  std::string const deck = "pattern = \"reduce\"\nvariant = \"halving\"\ntype = \"f32\"\nbytes = \"1 MiB\"\n";
  Card card = made_up_card();
  EXPECT_EQ(model_of(deck, card).seconds, 0) << "no step is known";
  card[step("guarded")] = 1e9;
  Model const model = model_of(deck, card);
  EXPECT_DOUBLE_EQ(model.seconds, 262144 * 9 * 1e-9 + 1e-6 + 1024 * 1e-8);
  EXPECT_EQ(model.limiter, "steps");
}

TEST(HostSteps, SumsThatRoundAreChains) {
  Card card = made_up_card();
  card[step("add")] = 1e9;
  std::string const deck = "pattern = \"reduce\"\nvariant = \"flat\"\nbytes = \"1 MiB\"\n";
  EXPECT_DOUBLE_EQ(model_of(deck + "type = \"f32\"\n", card).seconds, 262144e-9);
  EXPECT_EQ(model_of(deck + "type = \"i32\"\n", card).limiter, "read");
}

TEST(HostSteps, AColumnCostsMoreWhereRowsBeginInOneSet) {
  Card card = made_up_card();
  card[walk("rows", "4MiB", "1024")] = 1e9;
  card[walk("rows", "4MiB", "1040")] = 1e9;
  card[walk("columns_stored", "4MiB", "1024")] = 1e8;
  card[walk("columns_stored", "4MiB", "1040")] = 1e9;
  std::string const deck = "pattern = \"transpose\"\nvariant = \"row_read\"\ntype = \"f32\"\nshape = ";
  double const teams = 1e-6 + 1024 * 1e-8;
  EXPECT_DOUBLE_EQ(model_of(deck + "\"1024x1024\"\n", card).seconds, 1048576 * (0.5e-9 + 1e-8) + teams);
  // out is 1056 rows of 992 elements
  EXPECT_DOUBLE_EQ(model_of(deck + "\"992x1056\"\n", card).seconds, 1047552 * (0.5e-9 + 1e-9) + 1e-6 + 1023 * 1e-8);
}

TEST(HostSteps, ALiteralTransposeTestsEachElement) {
  Card card = made_up_card();
  card[walk("rows", "4MiB", "1024")] = 1e9;
  card[walk("columns_read", "4MiB", "1024")] = 5e8;
  std::string const shape = "type = \"f32\"\nshape = \"1024x1024\"\nvariant = ";
  std::string const deck = "pattern = \"transpose\"\n" + shape;
  EXPECT_EQ(model_of(deck + "\"literal_row_write\"\n", card).seconds, 0) << "no step is known";
  card[step("guarded")] = 1e9;
  double const turned = 1048576 * (0.5e-9 + 2e-9) + 1e-6 + 1024 * 1e-8;
  EXPECT_DOUBLE_EQ(model_of(deck + "\"row_write\"\n", card).seconds, turned);
  EXPECT_DOUBLE_EQ(model_of(deck + "\"literal_row_write\"\n", card).seconds, turned + 1048576e-9);
}

TEST(HostSteps, TilesOfTheCardAreOf32) {
  Card card = made_up_card();
  card[walk("rows", "4MiB", "1024")] = 1e9;
  card[step("guarded")] = 1e9;
  std::string const deck =
      "pattern = \"transpose\"\nvariant = \"padded\"\ntype = \"f32\"\nshape = \"1024x1024\"\ntile = ";
  EXPECT_DOUBLE_EQ(model_of(deck + "32\n", card).seconds, 1048576 * 2e-9 + 1e-6 + 1024 * 1e-8);
  EXPECT_EQ(model_of(deck + "16\n", card).seconds, 0);
}

TEST(HostSteps, BetweenTwoSetsARateIsOnAStraightLineInLogarithms) {
  Card card;
  for (char const* bytes : {"256KiB", "1MiB", "4MiB", "16MiB"}) card[reading(bytes)] = 1e11;
  for (char const* bytes : {"64MiB", "256MiB", "1GiB"}) card[reading(bytes)] = 2.5e10;
  std::string const deck =
      "pattern = \"stride_copy\"\nvariant = \"stride\"\ntype = \"f32\"\nbytes = \"8 MiB\"\nstride = ";
  EXPECT_NEAR(model_of(deck + "1\n", card).seconds, 16777216 / 1e11, 1e-12);
  EXPECT_NEAR(model_of(deck + "2\n", card).seconds, 33554432 / 5e10, 1e-12);
  EXPECT_NEAR(model_of(deck + "64\n", card).seconds, 32.0 * 16777216 / 2.5e10, 1e-12) << "a line and its neighbour";
}

TEST(HostSteps, ProductsAreRowsOfSums) {
  Card card = made_up_card();
  card[step("update_some")] = 1e9;
  card[step("guarded")] = 1e8;
  for (char const* bytes : {"256KiB", "1MiB", "4MiB", "16MiB", "64MiB", "256MiB", "1GiB"}) card[reading(bytes)] = 1e10;
  std::string const deck = "pattern = \"matmul\"\nvariant = \"simple\"\ntype = \"f32\"\nshape = \"64x40x100\"\ntile = ";
  // 64 rows, 2 tiles across, 100 steps; C of 2560 elements; 4 teams
  EXPECT_NEAR(model_of(deck + "32\n", card).seconds, 12800e-9 + 2560e-8 + 2 * 10240 / 1e10 + 1e-6 + 4e-8, 1e-15);
  EXPECT_EQ(model_of(deck + "8\n", card).seconds, 0);
}

TEST(HostSteps, NeighboursOfAStencilBeginAtAnyElement) {
  Card card;
  card[reading("16KiB")] = 4e10;
  std::string const deck = "pattern = \"stencil\"\ntype = \"f32\"\nbytes = \"1 MiB\"\nradius = 2\nvariant = ";
  EXPECT_EQ(model_of(deck + "\"global\"\n", card).seconds, 0) << "the rate of unaligned loads is not known";
  card["bandwidth/unaligned/openmp/i32/bytes=16KiB/reads=part/readers=0/passes=0"] = 2e10;
  double const loads = 5 * 1048576 / 4e10 + 5 * 1048576 / 2e10, copy = 2 * 1048576 / 1e15;
  Model const model = model_of(deck + "\"global\"\n", card);
  EXPECT_DOUBLE_EQ(model.seconds, loads) << "the copy takes less than its own loads from the cache";
  EXPECT_EQ(model.limiter, "L1");
  double const slow_copy = 2 * 1048576 / 1e10, of_copy = 2 * 1048576 / 4e10;
  EXPECT_DOUBLE_EQ(model_of(deck + "\"global\"\n", card, 1e10).seconds, loads + slow_copy - of_copy);
  EXPECT_EQ(model_of(deck + "\"global\"\n", card, 0).seconds, 0);
  EXPECT_DOUBLE_EQ(model_of(deck + "\"scratch\"\n", card).seconds, copy + loads + 2 * 1048576 / 4e10);
}

TEST(HostSteps, FewLiveValuesWaitForEachOther) {
  Card card;
  card[step("multiply_add")] = 1e9;
  std::string const deck = "pattern = \"occupancy\"\nvariant = \"unrolled\"\ntype = \"f32\"\nlive = 8\n";
  EXPECT_DOUBLE_EQ(model_of(deck, card).seconds, 1024 * 4096e-9);
}

}  // namespace
}  // namespace tilestride
