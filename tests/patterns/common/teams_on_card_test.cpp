// SPDX-License-Identifier: BSD-3-Clause

// Models that a memory card completes: with its costs in round numbers, the predictions are worked out by hand.

#include "patterns/common/teams_on_card.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "patterns/catalogue.hpp"
#include "plan/plan.hpp"

namespace tilestride {
namespace {

/// 1 us for a team of 256, 2 us for one of 512; twice as much in Kokkos.
std::shared_ptr<Card const> made_up_card() {
  std::string const load = "i32/op=load/threads=33554432/team=";
  return std::make_shared<Card const>(Card{{"launch/native_teams/cuda/" + load + "256", 1e6},
                                           {"launch/native_teams/cuda/" + load + "512", 5e5},
                                           {"launch/teams/cuda/" + load + "256", 5e5}});
}

/// The first case of a deck on an H200-like device.
Case case_of(Plan const& plan, std::shared_ptr<Card const> card) {
  Case c = plan.cases.front();
  c.hardware.warp = 32;
  c.hardware.sector = 32;
  c.card = std::move(card);
  return c;
}

Plan plan_of(std::string const& deck) {
  std::vector<Mistake> mistakes;
  Deck const parsed = parse_deck("schema = 1\n[[case]]\nspace = \"cuda\"\n" + deck, "made up", mistakes);
  Build build;
  build.spaces = {"cuda"};
  build.default_space = "cuda";
  Plan plan = make_plan(parsed, catalogue(), build, "", mistakes);
  EXPECT_TRUE(mistakes.empty());
  return plan;
}

Ceilings copy_at(double rate) {
  Ceilings ceilings;
  ceilings.copy = rate;
  return ceilings;
}

TEST(TeamsOnCard, OneElementPerThreadIsNoFasterThanItsTeams) {
  Plan const plan = plan_of(
      "pattern = \"offset_copy\"\nvariant = \"native_offset\"\ntype = \"f32\"\nbytes = \"1 MiB\"\nteam = 256\n"
      "per_thread = 1\n");
  Case const c = case_of(plan, made_up_card());
  Model const by_teams = c.model(copy_at(1e12));  // 2 us for the bytes; 1024 teams of 1 us
  EXPECT_DOUBLE_EQ(by_teams.seconds, 1024e-6);
  EXPECT_EQ(by_teams.limiter, "teams");
  Model const by_memory = c.model(copy_at(1e9));
  EXPECT_DOUBLE_EQ(by_memory.seconds, 2 * 1048576 / 1e9);
  EXPECT_EQ(by_memory.limiter, "sectors");
}

TEST(TeamsOnCard, APortableKernelHasThePortableCost) {
  Plan const plan = plan_of(
      "pattern = \"staged_copy\"\nvariant = \"scratch\"\ntype = \"f32\"\nbytes = \"1 MiB\"\nteam = 256\n"
      "per_thread = 1\n");
  EXPECT_DOUBLE_EQ(case_of(plan, made_up_card()).model(copy_at(1e12)).seconds, 2048e-6);
}

TEST(TeamsOnCard, ATeamBetweenTwoCostsAsMuchAsTheLarger) {
  Plan const plan = plan_of(
      "pattern = \"offset_copy\"\nvariant = \"native_offset\"\ntype = \"f32\"\nbytes = \"1200000 B\"\nteam = 300\n"
      "per_thread = 1\n");
  EXPECT_DOUBLE_EQ(case_of(plan, made_up_card()).model(copy_at(1e12)).seconds, 2e-6 * 1000);
}

TEST(TeamsOnCard, WithoutACardThereIsNoPrediction) {
  Plan const plan = plan_of(
      "pattern = \"offset_copy\"\nvariant = \"native_offset\"\ntype = \"f32\"\nbytes = \"1 MiB\"\nteam = 256\n"
      "per_thread = [1, 4]\n");
  EXPECT_EQ(case_of(plan, nullptr).model(copy_at(1e12)).seconds, 0);
  EXPECT_EQ(case_of(plan, std::make_shared<Card const>()).model(copy_at(1e12)).seconds, 0);
  Case several = plan.cases.back();
  several.hardware = case_of(plan, nullptr).hardware;
  EXPECT_GT(several.model(copy_at(1e12)).seconds, 0);  // four elements per thread: memory alone
}

TEST(RequestsOnCard, AStencilIsNoFasterThanItsRequestsToTheCache) {
  Plan const plan =
      plan_of("pattern = \"stencil\"\nvariant = \"global\"\ntype = \"f32\"\nbytes = \"1 MiB\"\nradius = 4\n");
  std::string const words = "bandwidth/global_words/cuda/i32/bytes=";
  Case const c =
      case_of(plan, std::make_shared<Card const>(Card{{words + "16KiB/reads=set/readers=0/passes=0", 64e9},
                                                      {words + "64KiB/reads=set/readers=0/passes=0", 128e9}}));
  // 8192 warps of 32 outputs; for each 9 neighbours, 9/4 coefficients and a store, a line of 128 bytes in 1 ns
  EXPECT_NEAR(c.model(copy_at(1e12)).seconds, 8192 * 12.25e-9, 1e-15);
  EXPECT_EQ(c.model(copy_at(1e12)).limiter, "L1");
  EXPECT_EQ(c.model(copy_at(1e9)).limiter, "copy");
  EXPECT_EQ(case_of(plan, nullptr).model(copy_at(1e12)).seconds, 0);
}

TEST(TileAccess, OneTeamWaitsForItsKernelItsLoadsAndItsBarriers) {
  Plan const plan = plan_of(
      "pattern = \"tile_access\"\nvariant = \"native_static\"\ntype = \"i32\"\nshape = \"32x16\"\n"
      "access = \"row_row\"\nrepeat = 1000\n");
  Case c = case_of(plan, std::make_shared<Card const>(
                             Card{{"launch/native_teams/cuda/i32/op=nothing/threads=512/team=512", 1 / 5e-6},
                                  {"fences/native_loop/cuda/i32/op=nothing/after=nothing/team=512", 1 / 10e-9},
                                  {"fences/native_loop/cuda/i32/op=team_barrier/after=nothing/team=512", 1 / 30e-9},
                                  {"latency/native_shared/cuda/i32/bytes=16KiB", 1 / 12e-9}}));
  c.hardware.banks = 32;
  Ceilings ceilings;
  ceilings.clock = 2e9;
  // 16 warps: as many wavefronts to store, and to load, of half a nanosecond
  EXPECT_NEAR(c.model(ceilings).seconds, 5e-6 + 1000 * (32 * 0.5e-9 + 12e-9 + 2 * 20e-9), 1e-12);
  c.card = nullptr;
  EXPECT_EQ(c.model(ceilings).seconds, 0);
}

}  // namespace
}  // namespace tilestride
