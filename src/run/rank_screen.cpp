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

bool is_named(Finding const& finding) { return finding.action != Action::retest || !finding.repeated; }

/// "from and to nid0012": where the messages that are slow have their fault.
std::string where(std::vector<std::string> const& hosts) {
  if (hosts.empty()) return "of no host in common";
  return hosts.size() == 1 ? "from and to " + hosts[0] : fmt::format("between {} and {}", hosts[0], hosts[1]);
}

std::vector<Suspect> messages_of(std::vector<Finding> const& findings) {
  std::vector<Suspect> messages;
  for (Finding const& finding : findings) messages.push_back(finding.worst);
  return messages;
}

/// All of these messages in a line, the slowest first.
std::string line_of_messages(std::vector<Finding> findings, std::vector<RankFacts> const& ranks) {
  std::sort(findings.begin(), findings.end(),
            [](Finding const& a, Finding const& b) { return a.worst.deficit > b.worst.deficit; });
  std::vector<std::string> pairs;
  for (Finding const& f : findings) pairs.push_back(fmt::format("{}->{}", f.worst.rank, *f.worst.to));
  Finding const& first = findings.front();
  return fmt::format("slow: messages {}: {}; up to {:.1f} % below those of other pairs, in {} (z = {:.1f}); {}: {}",
                     where(hosts_in_common(messages_of(findings), ranks)), fmt::join(pairs, ", "),
                     100 * first.worst.deficit, first.worst.case_name, first.worst.z, what_a_repeat_said(first),
                     name_of(first.action));
}

double z_for_json(Finding const& finding) { return std::max(finding.worst.z, -1e9); }  // JSON has no infinity

}  // namespace

RankScreen::RankScreen(RunSettings const& settings, std::string const& baseline)
    : limits_{settings.slow_watch, settings.slow_replace} {
  if (!baseline.empty()) baseline_ = read_baseline(baseline);
}

void RankScreen::look(std::vector<Result> const& results, std::vector<RankFacts> const& ranks, Repeat const& repeat) {
  slow_cases_ = slower_than_their_past(results, ranks, limits_, baseline_);
  auto const look_at = [&](std::vector<Result> const& measured) {
    std::vector<Suspect> all = suspects(measured, ranks, limits_, baseline_);
    std::vector<Suspect> const messages = slow_messages(measured, ranks, limits_);
    all.insert(all.end(), messages.begin(), messages.end());
    return all;
  };
  std::vector<Suspect> const first = look_at(results);
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
  for (Finding const& finding : findings(first, look_at(second), repeated, limits_))
    (!finding.worst.to ? found_ : is_named(finding) ? slow_messages_ : doubtful_messages_).push_back(finding);
}

bool RankScreen::named_any() const {
  return std::any_of(found_.begin(), found_.end(), is_named) || !slow_messages_.empty();
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
  for (std::vector<Finding> const& messages : {slow_messages_, doubtful_messages_}) {
    if (!messages.empty()) lines.push_back(line_of_messages(messages, ranks));
  }
  for (SlowCase const& slow : slow_cases_)
    lines.push_back(fmt::format("slow: all ranks: {:.1f} % below their own past in {}", 100 * slow.deficit, slow.name));
  if (std::string const blind = blind_spot(results, limits_); !blind.empty() && baseline_.cases.empty())
    lines.push_back(blind);
  return lines;
}

Json RankScreen::json() const {
  Json all = Json::array();
  for (Finding const& finding : found_) {
    all.push_back({{"rank", finding.rank},
                   {"action", name_of(finding.action)},
                   {"case", finding.worst.case_name},
                   {"deficit", finding.worst.deficit},
                   {"z", z_for_json(finding)},
                   {"compared_with", finding.worst.own_past ? "its own past" : "the other ranks"},
                   {"repeated", finding.repeated},
                   {"cases", finding.cases}});
  }
  return all;
}

Json RankScreen::json_of_messages(std::vector<RankFacts> const& ranks) const {
  if (slow_messages_.empty()) return nullptr;
  Json pairs = Json::array();
  for (Finding const& finding : slow_messages_) {
    pairs.push_back({{"from", finding.worst.rank},
                     {"to", *finding.worst.to},
                     {"action", name_of(finding.action)},
                     {"case", finding.worst.case_name},
                     {"deficit", finding.worst.deficit},
                     {"z", z_for_json(finding)},
                     {"repeated", finding.repeated},
                     {"cases", finding.cases}});
  }
  return {{"hosts", hosts_in_common(messages_of(slow_messages_), ranks)}, {"pairs", pairs}};
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
