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

/// Where the ranks differ so much that one that should be replaced may go unseen among them; empty elsewhere.
std::string blind_spot(std::vector<Result> const& results, ScreenLimits const& limits) {
  double figures = 0, widest = 0;
  Result const* where = nullptr;
  for (Result const& result : results) {
    if (!has_peers(result)) continue;
    figures += static_cast<double>(result.ranks->seconds.size());
    double const spread = spread_between(*result.ranks);
    if (where != nullptr && spread <= widest) continue;
    widest = spread;
    where = &result;
  }
  if (where == nullptr || smallest_found(widest, figures, limits) <= limits.replace) return "";
  return fmt::format(
      "the ranks differ so much that one that is {:.0f} % slower may go unseen: by {:.1f} % (standard deviation) in "
      "{}; "
      "--baseline compares each with its own past",
      100 * limits.replace, 100 * widest, where->planned->name());
}

std::string what_a_repeat_said(Finding const& finding) {
  if (finding.action != Action::retest) return "confirmed by a repeat";
  return finding.repeated ? "a repeat has not confirmed it" : "not measured again";
}

}  // namespace

RankScreen::RankScreen(RunSettings const& settings, std::string const& baseline)
    : limits_{settings.slow_watch, settings.slow_replace} {
  if (!baseline.empty()) baseline_ = read_baseline(baseline);
}

void RankScreen::look(std::vector<Result> const& results, std::vector<RankFacts> const& ranks, Repeat const& repeat) {
  slow_cases_ = slower_than_their_past(results, ranks, limits_, baseline_);
  std::vector<Suspect> const first = suspects(results, ranks, limits_, baseline_);
  if (first.empty()) return;
  std::set<std::string> names;
  for (Suspect const& suspect : first) names.insert(suspect.case_name);
  std::vector<std::size_t> again;
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (names.count(results[i].planned->name()) != 0) again.push_back(i);
  }
  std::vector<Result> const second = repeat(again);
  std::set<std::string> repeated;
  for (Result const& result : second) {
    if (result.ranks) repeated.insert(result.planned->name());
  }
  found_ = findings(first, suspects(second, ranks, limits_, baseline_), repeated, limits_);
}

bool RankScreen::named_any() const {
  return std::any_of(found_.begin(), found_.end(),
                     [](Finding const& f) { return f.action != Action::retest || !f.repeated; });
}

std::vector<std::string> RankScreen::lines(std::vector<Result> const& results,
                                           std::vector<RankFacts> const& ranks) const {
  std::vector<std::string> lines;
  for (Finding const& finding : found_) {
    Suspect const& worst = finding.worst;
    lines.push_back(fmt::format("slow: {}: {:.1f} % below {} in {} (z = {:.1f}){}; {}: {}",
                                ranks[finding.rank].title(finding.rank), 100 * worst.deficit,
                                worst.own_past ? "its own past" : "the other ranks", worst.case_name, worst.z,
                                finding.cases > 1 ? fmt::format(", and slow in {} more", finding.cases - 1) : "",
                                what_a_repeat_said(finding), name_of(finding.action)));
    if (std::string const device = device_of(finding, results); !device.empty()) lines.push_back("      " + device);
  }
  for (SlowCase const& slow : slow_cases_)
    lines.push_back(fmt::format("slow: all ranks: {:.1f} % below their own past in {}", 100 * slow.deficit, slow.name));
  if (std::string const blind = blind_spot(results, limits_); !blind.empty() && baseline_.cases.empty())
    lines.push_back(blind);
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
                   {"repeated", finding.repeated},
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
