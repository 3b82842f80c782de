// SPDX-License-Identifier: BSD-3-Clause
#include "run/rank_screen.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tilestride {
namespace {

/// The device of the slowest rank of that case, as it was after its samples: "SM clock 1200 MHz, throttled by …".
std::string device_of(Finding const& finding, std::vector<Result> const& results) {
  for (Result const& result : results) {
    if (!result.ranks || result.planned->name() != finding.worst.case_name) continue;
    if (result.ranks->slowest_rank() != finding.rank) continue;
    std::vector<std::string> facts;
    for (auto const& [name, value] : result.ranks->slowest_device) facts.push_back(name + " " + value);
    return fmt::format("{}", fmt::join(facts, ", "));
  }
  return "";
}

/// Those whose ranks can be compared with each other.
std::vector<Result const*> screened(std::vector<Result> const& results) {
  std::vector<Result const*> some;
  for (Result const& result : results) {
    bool const enough = result.ranks && result.ranks->seconds.size() >= 3;
    if (enough && !result.planned->pattern->collective) some.push_back(&result);
  }
  return some;
}

}  // namespace

RankScreen::RankScreen(RunSettings const& settings, std::string const& baseline)
    : limits_{settings.slow_watch, settings.slow_replace} {
  if (!baseline.empty()) baseline_ = read_baseline(baseline);
}

void RankScreen::look(std::vector<Result> const& results, std::vector<RankFacts> const& ranks, Repeat const& repeat) {
  std::vector<Suspect> const first = suspects(results, ranks, limits_, baseline_);
  if (first.empty()) return;
  std::vector<std::size_t> again;
  for (std::size_t i = 0; i < results.size(); ++i) {
    std::string const name = results[i].planned->name();
    if (std::any_of(first.begin(), first.end(), [&](Suspect const& s) { return s.case_name == name; }))
      again.push_back(i);
  }
  found_ = findings(first, suspects(repeat(again), ranks, limits_, baseline_), limits_);
}

bool RankScreen::named_any() const {
  return std::any_of(found_.begin(), found_.end(), [](Finding const& f) { return f.action != Action::retest; });
}

std::vector<std::string> RankScreen::lines(std::vector<Result> const& results,
                                           std::vector<RankFacts> const& ranks) const {
  std::vector<std::string> lines;
  for (Finding const& finding : found_) {
    Suspect const& worst = finding.worst;
    lines.push_back(
        fmt::format("slow: {}: {:.1f} % below {} in {} (z = {:.1f}){}; {}: {}", ranks[finding.rank].title(finding.rank),
                    100 * worst.deficit, worst.own_past ? "its own past" : "the other ranks", worst.case_name, worst.z,
                    finding.cases > 1 ? fmt::format(", and slow in {} more", finding.cases - 1) : "",
                    finding.action == Action::retest ? "a repeat has not confirmed it" : "confirmed by a repeat",
                    name_of(finding.action)));
    if (std::string const device = device_of(finding, results); !device.empty()) lines.push_back("      " + device);
  }
  double figures = 0;
  for (Result const* const result : screened(results)) figures += static_cast<double>(result->ranks->seconds.size());
  Result const* blindest = nullptr;
  double least = 0;
  for (Result const* const result : screened(results)) {
    double const found = smallest_found(*result->ranks, figures, limits_);
    if (found <= least) continue;
    least = found;
    blindest = result;
  }
  if (least > limits_.replace)
    lines.push_back(fmt::format(
        "the ranks differ so much that a slow one may go unseen: in {} one must be {:.0f} % slower to be found "
        "for sure; --baseline compares each with its own past",
        blindest->planned->name(), 100 * least));
  return lines;
}

Json RankScreen::json() const {
  Json all = Json::array();
  for (Finding const& finding : found_)
    all.push_back({{"rank", finding.rank},
                   {"action", name_of(finding.action)},
                   {"case", finding.worst.case_name},
                   {"deficit", finding.worst.deficit},
                   {"z", std::max(finding.worst.z, -1e9)},  // JSON has no infinity
                   {"compared_with", finding.worst.own_past ? "its own past" : "the other ranks"},
                   {"cases", finding.cases}});
  return all;
}

Json to_json(std::vector<RankFacts> const& ranks) {
  Json all = Json::array();
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    Json one{{"rank", r}, {"host", ranks[r].host}, {"cpus", ranks[r].cpus}};
    if (!ranks[r].device.empty()) one["device"] = ranks[r].device;
    if (!ranks[r].uuid.empty()) one["uuid"] = ranks[r].uuid;
    if (!ranks[r].pci.empty()) one["pci"] = ranks[r].pci;
    if (!ranks[r].nodes.empty()) one["numa"] = ranks[r].nodes;
    if (!ranks[r].device_node.empty()) one["device_numa"] = ranks[r].device_node;
    all.push_back(one);
  }
  return all;
}

}  // namespace tilestride
