// SPDX-License-Identifier: BSD-3-Clause
#include "machine/numa.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "machine/pages.hpp"

namespace tilestride {

namespace fs = std::filesystem;

namespace {

std::string first_line(fs::path const& file) {
  std::string line;
  std::getline(std::ifstream(file), line);
  return line;
}

/// Moves the calling thread to these CPUs; false where it may not run on any of them.
bool move_to(std::vector<int> const& cpus) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (int const cpu : cpus) {
    if (cpu < CPU_SETSIZE) CPU_SET(static_cast<unsigned>(cpu), &set);
  }
  return sched_setaffinity(0, sizeof set, &set) == 0;
}

}  // namespace

std::vector<int> numbers_in(std::string const& list) {
  std::vector<int> numbers;
  std::istringstream stream(list);
  for (std::string part; std::getline(stream, part, ',');) {
    std::istringstream range(part);
    int first = 0, last = 0;
    char dash = ' ';
    if (!(range >> first)) return {};
    if (!(range >> dash >> last)) last = first;
    for (int number = first; number <= last; ++number) numbers.push_back(number);
  }
  return numbers;
}

std::string list_of(std::vector<int> const& numbers) {
  std::string list;
  for (std::size_t i = 0, end = 0; i < numbers.size(); i = end) {
    for (end = i + 1; end < numbers.size() && numbers[end] == numbers[end - 1] + 1;) ++end;
    if (!list.empty()) list += ',';
    list += std::to_string(numbers[i]);
    if (end > i + 1) list += '-' + std::to_string(numbers[end - 1]);
  }
  return list;
}

std::vector<NumaNode> numa_nodes(fs::path const& root) {
  fs::path const folder = root / "sys/devices/system/node";
  std::vector<NumaNode> nodes;
  for (int const number : numbers_in(first_line(folder / "online"))) {
    std::vector<int> cpus = numbers_in(first_line(folder / fmt::format("node{}", number) / "cpulist"));
    if (!cpus.empty()) nodes.push_back({number, std::move(cpus)});
  }
  return nodes;
}

int numa_node_of_pci(std::string const& address, fs::path const& root) {
  std::string const line = first_line(root / "sys/bus/pci/devices" / address / "numa_node");
  return line.empty() ? -1 : std::atoi(line.c_str());
}

Placement placement_for(std::vector<int> const& cpus, std::vector<NumaNode> const& nodes, bool remote) {
  if (nodes.size() < 2) return {Skip{SkipReason::hardware, "this machine has one NUMA node: all memory is local"}, {}};
  auto const node_of = [&](int cpu) {
    return std::find_if(nodes.begin(), nodes.end(), [cpu](NumaNode const& node) {
      return std::find(node.cpus.begin(), node.cpus.end(), cpu) != node.cpus.end();
    });
  };
  auto const home = cpus.empty() ? nodes.end() : node_of(cpus.front());
  if (home == nodes.end()) return {Skip{SkipReason::hardware, "on which NUMA node the threads run is not known"}, {}};
  if (std::any_of(cpus.begin(), cpus.end(), [&](int cpu) { return node_of(cpu) != home; }))
    return {Skip{SkipReason::not_applicable,
                 "the threads run on several NUMA nodes: bind them to one, or let one read alone (readers = 1)"},
            {}};
  if (!remote) return {{}, *home};
  return {{}, home + 1 == nodes.end() ? nodes.front() : *(home + 1)};
}

std::shared_ptr<void> memory_on(NumaNode const& node, std::size_t bytes) {
  std::shared_ptr<void> const memory = whole_pages(bytes);
  bool moved = false;
  std::thread([&] {
    moved = move_to(node.cpus);
    if (moved) std::memset(memory.get(), 0, bytes);
  }).join();
  if (!moved) throw std::runtime_error(fmt::format("no thread of this process may run on NUMA node {}", node.number));
  return memory;
}

}  // namespace tilestride
