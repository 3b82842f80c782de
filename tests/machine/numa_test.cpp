// SPDX-License-Identifier: BSD-3-Clause
#include "machine/numa.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "scratch_folder.hpp"

namespace tilestride {
namespace {

namespace fs = std::filesystem;

using Numbers = std::vector<int>;

std::vector<NumaNode> const two_nodes{{0, {0, 1, 4, 5}}, {1, {2, 3, 6, 7}}};

TEST(Numa, ListsOfNumbers) {
  EXPECT_EQ(numbers_in("0"), Numbers({0}));
  EXPECT_EQ(numbers_in("0-3,8,10-11"), Numbers({0, 1, 2, 3, 8, 10, 11}));
  EXPECT_EQ(numbers_in(""), Numbers());
  EXPECT_EQ(numbers_in("all"), Numbers());
}

TEST(Numa, NumbersAsAList) {
  for (std::string const list : {"", "0", "0-3,8,10-11", "1,3,5", "4-5"}) EXPECT_EQ(list_of(numbers_in(list)), list);
}

TEST(Numa, NodeOfADevice) {
  ScratchFolder const root;
  fs::path const folder = fs::path(root.path("sys/bus/pci/devices")) / "0000:1a:00.0";
  fs::create_directories(folder);
  EXPECT_EQ(numa_node_of_pci("0000:1a:00.0", root.path("")), -1) << "no such file";
  std::ofstream(folder / "numa_node") << "3\n";
  EXPECT_EQ(numa_node_of_pci("0000:1a:00.0", root.path("")), 3);
}

TEST(Numa, NodesWithoutCpusAreNone) {
  ScratchFolder const root;
  auto const write = [&](std::string const& file, std::string const& text) {
    fs::path const path = fs::path(root.path("sys/devices/system/node")) / file;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text << '\n';
  };
  EXPECT_TRUE(numa_nodes(root.path("")).empty()) << "no such folder";
  write("online", "0,2-3");
  write("node0/cpulist", "0-1");
  write("node2/cpulist", "");
  write("node3/cpulist", "2,3");
  auto const nodes = numa_nodes(root.path(""));
  ASSERT_EQ(nodes.size(), 2u);
  EXPECT_EQ(nodes[1].number, 3);
  EXPECT_EQ(nodes[1].cpus, Numbers({2, 3}));
}

TEST(Numa, RemoteMemoryIsOnAnotherNode) {
  for (int const cpu : {0, 3, 5, 6}) {
    int const home = cpu == 0 || cpu == 5 ? 0 : 1;
    EXPECT_EQ(placement_for({cpu}, two_nodes, false).node.number, home) << cpu;
    EXPECT_EQ(placement_for({cpu}, two_nodes, true).node.number, 1 - home) << cpu;
  }
  EXPECT_FALSE(placement_for({0, 1, 5}, two_nodes, true).skip);
}

TEST(Numa, WhereItHasNoMeaningThereIsAReason) {
  auto const reason = [](Numbers const& cpus, std::vector<NumaNode> const& nodes) {
    auto const skip = placement_for(cpus, nodes, true).skip;
    return skip ? skip->reason : SkipReason::no_device;
  };
  EXPECT_EQ(reason({0}, {two_nodes[0]}), SkipReason::hardware) << "one node";
  EXPECT_EQ(reason({0}, {}), SkipReason::hardware) << "unknown nodes";
  EXPECT_EQ(reason({9}, two_nodes), SkipReason::hardware) << "a CPU of no node";
  EXPECT_EQ(reason({0, 2}, two_nodes), SkipReason::not_applicable) << "threads on both";
}

TEST(Numa, MemoryOnANodeIsReadyForUse) {
  auto const nodes = numa_nodes();
  if (nodes.empty()) GTEST_SKIP() << "this system shows no nodes";
  auto const memory = memory_on(nodes.front(), 5000);
  EXPECT_EQ(static_cast<char const*>(memory.get())[4999], 0);
  EXPECT_THROW(memory_on({0, {}}, 1), std::runtime_error);
}

}  // namespace
}  // namespace tilestride
