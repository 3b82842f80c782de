// SPDX-License-Identifier: BSD-3-Clause
#include "ranks/facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "machine/numa.hpp"

namespace tilestride {

std::string RankFacts::title(std::size_t rank) const {
  std::string where = host;
  for (std::string const& part : {uuid, pci}) {
    if (!part.empty()) where += ", " + part;
  }
  return fmt::format("rank {} ({})", rank, where);
}

std::vector<RankFacts> joined(std::vector<RankFacts> const& before, std::vector<RankFacts> now) {
  for (std::size_t r = 0; r < std::min(before.size(), now.size()); ++r) {
    for (auto const field : {&RankFacts::host, &RankFacts::device, &RankFacts::uuid, &RankFacts::pci, &RankFacts::nodes,
                             &RankFacts::device_node, &RankFacts::cpus, &RankFacts::program}) {
      if ((now[r].*field).empty()) now[r].*field = before[r].*field;
    }
  }
  return now;
}

std::vector<RankFacts> redacted(std::vector<RankFacts> ranks) {
  std::map<std::string, std::size_t> hosts;
  for (RankFacts& rank : ranks) {
    rank.host = fmt::format("host {}", hosts.try_emplace(rank.host, hosts.size()).first->second);
    if (!rank.uuid.empty()) rank.uuid = "hidden";
  }
  return ranks;
}

std::vector<std::string> misplaced(std::vector<RankFacts> const& ranks) {
  std::map<std::pair<std::string, std::string>, std::vector<std::size_t>> users;  // of a device of a host, of its CPUs
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    if (!ranks[r].uuid.empty()) users[{ranks[r].host, ranks[r].uuid}].push_back(r);
    for (int const cpu : numbers_in(ranks[r].cpus)) users[{ranks[r].host, std::to_string(cpu)}].push_back(r);
  }
  std::map<std::pair<std::string, std::vector<std::size_t>>, std::vector<int>> cpus;  // of the same users
  std::vector<std::string> shared;
  for (auto const& [what, who] : users) {
    if (who.size() < 2) continue;
    bool const is_cpu =
        numbers_in(what.second).size() == 1 && what.second.find_first_not_of("0123456789") == std::string::npos;
    if (is_cpu)
      cpus[{what.first, who}].push_back(std::stoi(what.second));
    else
      shared.push_back(fmt::format("ranks {} use the same device", fmt::join(who, ", ")));
  }
  for (auto& [who, which] : cpus) {
    std::sort(which.begin(), which.end());
    shared.push_back(fmt::format("ranks {} may run on the same CPUs: {}", fmt::join(who.second, ", "), list_of(which)));
  }
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    std::vector<int> const own = numbers_in(ranks[r].nodes), device = numbers_in(ranks[r].device_node);
    if (own.empty() || device.empty() || std::find(own.begin(), own.end(), device[0]) != own.end()) continue;
    shared.push_back(fmt::format("the CPUs of rank {} are on NUMA node {}, its device is on {}", r, ranks[r].nodes,
                                 ranks[r].device_node));
  }
  return shared;
}

}  // namespace tilestride
