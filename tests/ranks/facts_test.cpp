// SPDX-License-Identifier: BSD-3-Clause
#include "ranks/facts.hpp"

#include <gtest/gtest.h>

#include "ranks/made_up_ranks.hpp"

namespace tilestride {
namespace {

TEST(RankFacts, TitlesSayWhereARankIs) {
  RankFacts facts;
  facts.host = "nid0012";
  EXPECT_EQ(facts.title(3), "rank 3 (nid0012)");
  facts.uuid = "GPU-1b2c";
  facts.pci = "0000:1a:00";
  EXPECT_EQ(facts.title(3), "rank 3 (nid0012, GPU-1b2c, 0000:1a:00)");
}

TEST(RankFacts, RedactedOnesTellWhichShareAHostAndNoMore) {
  std::vector<RankFacts> ranks = made_up_ranks(6);
  ranks[2].uuid.clear();
  ranks[0].device = "NVIDIA H200";
  std::vector<RankFacts> const shown = redacted(ranks);
  for (std::size_t r = 0; r < 6; ++r) EXPECT_EQ(shown[r].host, r < 4 ? "host 0" : "host 1");
  EXPECT_EQ(shown[1].uuid, "hidden");
  EXPECT_EQ(shown[2].uuid, "");
  EXPECT_EQ(shown[0].device, "NVIDIA H200");
}

TEST(RankFacts, WhatIsNotKnownAnyMoreStaysAsItWas) {
  std::vector<RankFacts> before = made_up_ranks(2), now(2);
  before[0].device_node = "1";
  now[1].host = "other";
  now[1].pid = 12;
  auto const all = joined(before, now);
  EXPECT_EQ(all[0].host, "node0");
  EXPECT_EQ(all[0].uuid, "GPU-0");
  EXPECT_EQ(all[0].device_node, "1");
  EXPECT_EQ(all[1].host, "other");
  EXPECT_EQ(all[1].uuid, "GPU-1");
  EXPECT_EQ(all[1].pid, 12);
  EXPECT_EQ(joined({}, before)[1].uuid, "GPU-1");
}

TEST(RankFacts, SharedDevicesAndCpusAreTold) {
  std::vector<RankFacts> ranks = made_up_ranks(5);
  EXPECT_TRUE(misplaced(ranks).empty());
  ranks[2].uuid = ranks[1].uuid;
  ranks[4].uuid = ranks[0].uuid;  // on another host: a virtual machine's copy, but not the same device
  ranks[0].cpus = "0-3,8";
  ranks[3].cpus = "2-4,8";
  ranks[4].cpus = "0-8";
  EXPECT_EQ(misplaced(ranks),
            (std::vector<std::string>{"ranks 1, 2 use the same device", "ranks 0, 3 may run on the same CPUs: 2-3,8"}));
}

TEST(RankFacts, CpusThatAllRanksOfAHostHaveAreToldOnce) {
  std::vector<RankFacts> ranks(3);
  for (RankFacts& rank : ranks) rank.cpus = "0-255";
  EXPECT_EQ(misplaced(ranks), std::vector<std::string>{"ranks 0, 1, 2 may run on the same CPUs: 0-255"});
}

}  // namespace
}  // namespace tilestride
