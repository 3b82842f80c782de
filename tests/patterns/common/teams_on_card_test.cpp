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

std::string team_of(std::string const& variant, std::string const& op, std::string const& team) {
  return "launch/" + variant + "/cuda/i32/op=" + op + "/threads=33554432/team=" + team;
}

/// 1 us for a copying team of 256, 2 us for one of 512; with an exchange 4 us in Kokkos, 3 us in CUDA.
std::shared_ptr<Card const> made_up_card() {
  return std::make_shared<Card const>(Card{{team_of("native_teams", "copy", "256"), 1e6},
                                           {team_of("native_teams", "copy", "512"), 5e5},
                                           {team_of("native_teams", "exchange", "256"), 1 / 3e-6},
                                           {team_of("teams", "exchange", "256"), 1 / 4e-6}});
}

/// A memory card's cases of L2 and of memory.
std::string part_of(std::string const& variant, std::string const& bytes, std::string const& readers) {
  return "bandwidth/" + variant + "/cuda/i32/bytes=" + bytes + "/reads=part/readers=" + readers;
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
  EXPECT_DOUBLE_EQ(case_of(plan, made_up_card()).model(copy_at(1e12)).seconds, 4096e-6);
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

TEST(TeamsOnCard, ATreeAddsABarrierAndALoadForEachFurtherStep) {
  Plan const plan = plan_of("pattern = \"reduce\"\nvariant = \"native_halving\"\ntype = \"f32\"\nbytes = \"1 MiB\"\n");
  Card card = *made_up_card();
  card["fences/native_loop/cuda/i32/op=nothing/after=nothing/team=256"] = 1 / 10e-9;
  card["fences/native_loop/cuda/i32/op=team_barrier/after=nothing/team=256"] = 1 / 30e-9;
  Ceilings ceilings;
  ceilings.read = 1e12;
  Case c = case_of(plan, std::make_shared<Card const>(card));
  c.hardware.multiprocessors = 2;
  c.hardware.resident_threads = 1024;
  c.hardware.resident_teams = 16;
  EXPECT_EQ(c.model(ceilings).seconds, 0);  // what a load from scratch takes is not known
  card["latency/native_shared/cuda/i32/bytes=16KiB"] = 1 / 12e-9;
  c.card = std::make_shared<Card const>(card);
  // 1024 teams of 3 us; 8 of them at a time, each with 7 further steps of 20 + 12 ns
  EXPECT_NEAR(c.model(ceilings).seconds, 1024 * 3e-6 + 1024 / 8 * 7 * 32e-9, 1e-12);
}

TEST(TeamsOnCard, AProductWaitsInEachStepOfItsTiles) {
  Plan const plan =
      plan_of("pattern = \"matmul\"\nvariant = \"native_shared\"\ntype = \"f32\"\nshape = \"64x64x64\"\ntile = 16\n");
  Card card{{team_of("native_teams", "load", "256"), 1e6},
            {"fences/native_loop/cuda/i32/op=nothing/after=nothing/team=256", 1 / 10e-9},
            {"fences/native_loop/cuda/i32/op=team_barrier/after=nothing/team=256", 1 / 30e-9},
            {"latency/pointer_chase/cuda/i32/bytes=1MiB", 1 / 150e-9}};
  Ceilings ceilings = copy_at(1e12);
  ceilings.fma = 1e12;
  ceilings.scratch = 1e9;
  Case c = case_of(plan, std::make_shared<Card const>(card));
  c.hardware.banks = 32;
  c.hardware.multiprocessors = 2;
  c.hardware.resident_threads = 1024;
  c.hardware.resident_teams = 16;
  // 8192 multiply-adds of warps, each of 1/2 + 1 + 2/16 wavefronts; 16 teams of 1 us, 8 at a time, each with 4 steps of
  // two barriers of 20 ns, and 3 loads after the first
  EXPECT_NEAR(c.model(ceilings).seconds, 8192 * 1.625e-9 + 16e-6 + 2 * (8 * 20e-9 + 3 * 150e-9), 1e-12);
  c.card = nullptr;
  EXPECT_EQ(c.model(ceilings).seconds, 0);
}

TEST(TeamsOnCard, AStagedStencilIsACopyAndItsTeams) {
  Plan const plan =
      plan_of("pattern = \"stencil\"\nvariant = \"native_scratch\"\ntype = \"f32\"\nbytes = \"64 KiB\"\nradius = 4\n");
  Card const card{{team_of("native_teams", "load", "256"), 1e6},
                  {"fences/native_loop/cuda/i32/op=nothing/after=nothing/team=256", 1 / 10e-9},
                  {"fences/native_loop/cuda/i32/op=team_barrier/after=nothing/team=256", 1 / 30e-9},
                  {"latency/pointer_chase/cuda/i32/bytes=1MiB", 1 / 150e-9}};
  Case c = case_of(plan, std::make_shared<Card const>(card));
  c.hardware.banks = 32;
  c.hardware.multiprocessors = 2;
  c.hardware.resident_threads = 1024;
  c.hardware.resident_teams = 16;
  Ceilings ceilings = copy_at(1e9);
  ceilings.scratch = 1e12;
  // 64 KiB each way; 16 teams of 1024 outputs, 1 us each, 8 of them at a time with a barrier of 20 ns
  EXPECT_NEAR(c.model(ceilings).seconds, 131072e-9 + 16e-6 + 2 * 20e-9, 1e-12);
  c.card = nullptr;
  EXPECT_EQ(c.model(ceilings).seconds, 0);
}

TEST(RequestsOnCard, LocalMemoryIsStoredToL2) {
  Plan const plan =
      plan_of("pattern = \"occupancy\"\nvariant = \"local_array\"\ntype = \"f32\"\nlive = 8\nteam = 128\n");
  Case c = case_of(plan, std::make_shared<Card const>(Card{{part_of("copy", "16MiB", "0/passes=0"), 2e9}}));
  c.hardware.multiprocessors = 2;
  c.hardware.resident_threads = 1024;
  Ceilings ceilings;
  ceilings.fma = 1e18;
  EXPECT_NEAR(c.model(ceilings).seconds, c.work().flops / 2 * 4e-9, 1e-9);  // a billion bytes stored per second
  EXPECT_GT(c.work().flops, 0);
}

TEST(RequestsOnCard, WhatIsSpilledIsStoredToL2OrGoesToMemoryAndBack) {
  Plan const plan = plan_of("pattern = \"occupancy\"\nvariant = \"spill\"\ntype = \"f32\"\nlive = 32\nteam = 128\n");
  Case c = case_of(plan, std::make_shared<Card const>(Card{
                             {part_of("copy", "16MiB", "0/passes=0"), 2e9},
                             {part_of("copy", "1GiB", "0/passes=0"), 5e8},
                         }));
  c.hardware.multiprocessors = 2;
  Ceilings ceilings;
  ceilings.fma = 1e18;
  double const thread_steps = c.work().flops / 2 / 32;
  EXPECT_EQ(c.model(ceilings).seconds, 0);  // the compiler has not said what it spills
  c.spills = Spills{0, true};
  EXPECT_EQ(c.model(ceilings).limiter, "fma");
  c.spills = Spills{100, true};  // four steps of 20 bytes, and the sums; a billion bytes stored per second
  EXPECT_NEAR(c.model(ceilings).seconds, thread_steps * 20 * 1e-9, 1e-9);
  c.spills = Spills{10000, true};  // no more than 32 values of 4 bytes
  EXPECT_NEAR(c.model(ceilings).seconds, thread_steps * 128 * 1e-9, 1e-9);
  c.spills = Spills{100, false};  // 20 bytes there and 20 back, half a billion per second
  EXPECT_NEAR(c.model(ceilings).seconds, thread_steps * 40 * 2e-9, 1e-9);
  EXPECT_EQ(c.model(ceilings).limiter, "spills");
}

TEST(RequestsOnCard, StoresDownAColumnAreTakenOneByOne) {
  Plan const plan = plan_of("pattern = \"transpose\"\nvariant = \"row_read\"\ntype = \"f32\"\nshape = \"1024x1024\"\n");
  Case const c = case_of(plan, std::make_shared<Card const>(Card{{part_of("scattered", "16MiB", "0/passes=0"), 4e9}}));
  EXPECT_DOUBLE_EQ(c.model(copy_at(1e12)).seconds, 1048576 * 1e-9);
  EXPECT_EQ(c.model(copy_at(1e12)).limiter, "stores");
  EXPECT_EQ(case_of(plan, nullptr).model(copy_at(1e12)).seconds, 0);
}

TEST(RequestsOnCard, AWalkWaitsForALoadInEachStepOrForItsTeams) {
  std::string const deck =
      "pattern = \"l2_window\"\nvariant = \"native_none\"\nstream = \"4 MiB\"\npersistent = \"1 MiB\"\nwords = 1\n";
  Card card = *made_up_card();
  card[part_of("copy", "16MiB", "0/passes=0")] = 1e13;
  card[part_of("one_by_one", "1GiB", "33/passes=1")] = 33 * 1024 * 8 / 1e-6;
  card[part_of("one_by_one", "1GiB", "66/passes=1")] = 66 * 1024 * 8 / 2e-6;
  auto const known = std::make_shared<Card const>(card);
  Plan const walk = plan_of(deck + "blocks = 128\n");
  // 32768 threads make 32 steps, with two loads each: as many under way as 66 readers have, 2 us a step
  EXPECT_NEAR(case_of(walk, known).model(copy_at(1e13)).seconds, 32 * 2e-6, 1e-12);
  card.erase(part_of("one_by_one", "1GiB", "66/passes=1"));
  EXPECT_EQ(case_of(walk, std::make_shared<Card const>(card)).model(copy_at(1e13)).seconds, 0);
  Plan const step = plan_of(deck + "blocks = 0\n");
  // 4096 teams of 1 us, then a copy of 4 MiB each way
  EXPECT_NEAR(case_of(step, known).model(copy_at(1e12)).seconds, 4096e-6 + 2 * 4194304 / 1e12, 1e-12);
  EXPECT_EQ(case_of(step, nullptr).model(copy_at(1e12)).seconds, 0);
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
                                  {"fences/native_loop/cuda/i32/op=nothing/after=nothing/team=32", 1 / 10e-9},
                                  {"fences/native_loop/cuda/i32/op=team_barrier/after=nothing/team=32", 1 / 15e-9},
                                  {"fences/native_loop/cuda/i32/op=nothing/after=nothing/team=512", 1 / 10e-9},
                                  {"fences/native_loop/cuda/i32/op=team_barrier/after=nothing/team=512", 1 / 30e-9},
                                  {"latency/native_shared/cuda/i32/bytes=16KiB", 1 / 12e-9}}));
  c.hardware.banks = 32;
  Ceilings ceilings;
  ceilings.clock = 2e9;
  // 16 warps: as many wavefronts to store, and to load, of half a nanosecond, while they arrive in 15 ns
  EXPECT_NEAR(c.model(ceilings).seconds, 5e-6 + 1000 * (2 * (15e-9 + 5e-9) + 12e-9), 1e-12);
  ceilings.clock = 2e8;
  EXPECT_NEAR(c.model(ceilings).seconds, 5e-6 + 1000 * (2 * (80e-9 + 5e-9) + 12e-9), 1e-12);
  c.card = nullptr;
  EXPECT_EQ(c.model(ceilings).seconds, 0);
}

}  // namespace
}  // namespace tilestride
