// SPDX-License-Identifier: BSD-3-Clause
#include "ranks/merge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "measure/group.hpp"
#include "model/statistics.hpp"

namespace tilestride {
namespace {

using Samples = std::vector<double>;

/// Sample by sample over the ranks; as many as every rank has.
Samples over_ranks(std::vector<Samples> const& of_ranks, double (*choose)(Samples)) {
  std::size_t count = std::numeric_limits<std::size_t>::max();
  for (Samples const& samples : of_ranks) count = std::min(count, samples.size());
  Samples chosen, at_once(of_ranks.size());
  for (std::size_t k = 0; k < count; ++k) {
    std::transform(of_ranks.begin(), of_ranks.end(), at_once.begin(), [k](Samples const& s) { return s[k]; });
    chosen.push_back(choose(at_once));
  }
  return chosen;
}

double longest(Samples samples) { return *std::max_element(samples.begin(), samples.end()); }

/// How bad an outcome is for the whole; a rank that could not run a case because of another says nothing of its own.
int weight(Result const& result) {
  if (result.reason == not_on_every_rank) return 0;
  switch (result.outcome) {
    case Outcome::passed: return 0;
    case Outcome::skipped: return 1;
    case Outcome::not_run: return 2;
    case Outcome::failed: return 3;
    case Outcome::error: return 4;
  }
  return 0;
}

/// The result of the rank with the worst outcome, with its name.
Result worst(OfEachRank const& of_ranks, std::vector<RankFacts> const& ranks) {
  std::size_t at = 0;
  for (std::size_t r = 0; r < of_ranks.size(); ++r) {
    bool const worse = of_ranks[r] && (!of_ranks[at] || weight(*of_ranks[r]) > weight(*of_ranks[at]));
    if (worse) at = r;
  }
  Result result = *of_ranks[at];
  bool const alike = std::all_of(of_ranks.begin(), of_ranks.end(), [&](auto const& other) {
    return other && other->outcome == result.outcome && other->reason == result.reason;
  });
  if (!alike) result.reason = fmt::format("{} of {}: {}", ranks[at].title(at), ranks.size(), result.reason);
  return result;
}

/// The first that lacks a result makes the case one that was not run.
Result unfinished(OfEachRank const& of_ranks, std::vector<RankFacts> const& ranks) {
  Result result;
  for (std::size_t r = 0; r < of_ranks.size(); ++r) {
    if (of_ranks[r]) result.planned = of_ranks[r]->planned;
    if (!of_ranks[r] && result.reason.empty())
      result.reason = fmt::format("{} of {} ended before it was done", ranks[r].title(r), ranks.size());
  }
  return result;
}

}  // namespace

double rate_together(std::vector<Result> const& of_ranks) {
  std::size_t count = std::numeric_limits<std::size_t>::max();
  for (Result const& r : of_ranks) count = std::min({count, r.begins.size(), r.ends.size()});
  Samples rates;
  for (std::size_t k = 0; k < count; ++k) {
    double amount = 0, begin = of_ranks[0].begins[k], end = of_ranks[0].ends[k];
    for (Result const& r : of_ranks) {
      amount += r.amount() * static_cast<double>(r.repetitions);
      begin = std::min(begin, r.begins[k]);
      end = std::max(end, r.ends[k]);
    }
    rates.push_back(amount / (end - begin));
  }
  return rates.empty() ? 0 : estimate(rates).median;
}

Result merged(OfEachRank const& of_ranks, std::vector<RankFacts> const& ranks, bool one_by_one) {
  auto const passed = [](auto const& result) { return result && result->outcome == Outcome::passed; };
  auto const bad = [](auto const& result) { return result && weight(*result) > 0; };
  if (!std::all_of(of_ranks.begin(), of_ranks.end(), passed)) {
    bool const told = std::any_of(of_ranks.begin(), of_ranks.end(), bad);
    return told ? worst(of_ranks, ranks) : unfinished(of_ranks, ranks);
  }
  std::vector<Result> all;
  for (auto const& result : of_ranks) all.push_back(*result);
  Result result = all.front();
  OfRanks& spread = result.ranks.emplace();
  std::vector<Samples> samples;
  std::map<std::string, std::vector<Samples>> yardsticks;
  auto const kind = [](std::string const& flag) { return flag.substr(0, flag.find(':')); };
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    Result const& r = all[rank];
    spread.seconds.push_back(r.statistics().time.median);
    samples.push_back(r.samples);
    for (auto const& [name, rates] : r.yardsticks) yardsticks[name].push_back(rates);
    for (std::string const& flag : r.flags) {
      auto const is_known = [&](std::string const& other) { return kind(other) == kind(flag); };
      if (std::none_of(result.flags.begin(), result.flags.end(), is_known))
        result.flags.push_back(fmt::format("{} (rank {})", flag, rank));
    }
  }
  bool const collective = result.planned->pattern->collective;
  result.samples = over_ranks(samples, collective ? longest : median_of);
  for (auto const& [name, rates] : yardsticks) result.yardsticks[name] = over_ranks(rates, median_of);
  result.set_ceilings();
  std::vector<Model> models;
  for (Result const& r : all) models.push_back(r.model);
  std::sort(models.begin(), models.end(), [](Model const& a, Model const& b) { return a.seconds < b.seconds; });
  result.model = models[(models.size() - 1) / 2];
  if (collective || !one_by_one) spread.together = rate_together(all);
  spread.slowest_device = all[spread.slowest_rank()].after;
  result.begins.clear();
  result.ends.clear();
  return result;
}

}  // namespace tilestride
