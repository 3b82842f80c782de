// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The NUMA nodes of this machine, as Linux shows them, and memory on one of them.

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/skip.hpp"

namespace tilestride {

/// "0-3,8,10-11": the numbers. What is no such list has none.
std::vector<int> numbers_in(std::string const& list);

/// The reverse: "0-3,8". The numbers must be in ascending order.
std::string list_of(std::vector<int> const& numbers);

struct NumaNode {
  int number = 0;
  std::vector<int> cpus;
};

/// The nodes that have CPUs. `root`: of the file system in which /sys is read.
std::vector<NumaNode> numa_nodes(std::filesystem::path const& root = "/");

/// The node that a PCI device ("0000:1a:00.0") is attached to; -1 where there is one node or Linux does not know.
int numa_node_of_pci(std::string const& address, std::filesystem::path const& root = "/");

/// Where the memory of a case goes, or why it cannot go there.
struct Placement {
  std::optional<Skip> skip;
  NumaNode node;
};

/// The node of these CPUs, or, for remote memory, the one of another number that is next to it.
Placement placement_for(std::vector<int> const& cpus, std::vector<NumaNode> const& nodes, bool remote);

/// Memory in whole pages, each first touched by a thread that runs on that node, which is where Linux then puts it.
/// Throws where this process may not run on any of the node's CPUs.
std::shared_ptr<void> memory_on(NumaNode const& node, std::size_t bytes);

}  // namespace tilestride
