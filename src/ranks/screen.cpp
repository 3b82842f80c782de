// SPDX-License-Identifier: BSD-3-Clause
#include "ranks/screen.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <limits>
#include <utility>

#include "model/pairs.hpp"
#include "model/statistics.hpp"

namespace tilestride {
namespace {

constexpr double false_alarms = 3;       // expected in one screen of healthy ranks
constexpr double least_z = 3;            // whatever their number
constexpr double sigma_of_mad = 1.4826;  // of a normal distribution
constexpr std::size_t fewest_ranks = 3;  // that have a median

/// Median, and median absolute deviation from it.
struct Spread {
  double median = 0, mad = 0;

  double z(double x) const {
    if (mad > 0) return (x - median) / (sigma_of_mad * mad);
    return x < median ? -std::numeric_limits<double>::infinity() : 0;
  }
};

Spread spread_of(std::vector<double> const& x) {
  Spread spread{median_of(x), 0};
  std::vector<double> distances;
  for (double const one : x) distances.push_back(std::abs(one - spread.median));
  spread.mad = median_of(distances);
  return spread;
}

std::vector<double> rates_of(OfRanks const& ranks) {
  std::vector<double> rates;
  for (double const seconds : ranks.seconds) rates.push_back(1 / seconds);  // calls per second
  return rates;
}

/// By which a baseline knows a rank.
std::string id_of(RankFacts const& facts, std::size_t rank) {
  return !facts.uuid.empty() ? facts.uuid : fmt::format("{}:{}", facts.host, rank);
}

/// The ranks of one case that a baseline knows: their rates, as shares of what they were.
struct Pasts {
  std::vector<std::size_t> ranks;
  std::vector<double> shares;
  double own_mad = 0;
};

Pasts pasts_of(Result const& result, std::vector<RankFacts> const& ranks, Baseline const& baseline) {
  Pasts pasts;
  auto const found = baseline.cases.find(result.planned->name());
  if (found == baseline.cases.end()) return pasts;
  pasts.own_mad = found->second.own_mad;
  std::vector<double> const rates = rates_of(*result.ranks);
  for (std::size_t r = 0; r < rates.size(); ++r) {
    auto const past = found->second.devices.find(id_of(ranks[r], r));
    if (past == found->second.devices.end()) continue;
    pasts.ranks.push_back(r);
    pasts.shares.push_back(rates[r] / past->second);
  }
  return pasts;
}

/// Adds a suspect where x lies far below all.
void judge(std::vector<Suspect>& found, Suspect one, double x, Spread const& all, double least,
           ScreenLimits const& limits) {
  one.deficit = 1 - x / all.median;
  one.z = all.z(x);
  if (one.z < least && one.deficit > limits.watch) found.push_back(std::move(one));
}

/// What the messages from one rank to another reach.
struct PairRate {
  std::size_t from, to;
  double rate;
};

/// Those within hosts, or those from one to another; none where too few have a median.
std::vector<PairRate> rates_of_pairs(Result const& result, std::vector<RankFacts> const& ranks, bool within) {
  std::vector<PairRate> rates;
  if (result.outcome != Outcome::passed || !result.ranks || result.measured_value(pair_column(0, 1)) == 0) return rates;
  std::size_t const count = result.ranks->seconds.size();
  for (std::size_t from = 0; from < count; ++from) {
    for (std::size_t to = 0; to < count; ++to) {
      if (from == to || (ranks[from].host == ranks[to].host) != within) continue;
      if (double const rate = result.measured_value(pair_column(from, to)); rate > 0) rates.push_back({from, to, rate});
    }
  }
  if (rates.size() < fewest_ranks) rates.clear();
  return rates;
}

bool is_screened(Result const& result) {
  return result.outcome == Outcome::passed && result.ranks && !result.planned->pattern->collective;
}

}  // namespace

double z_limit(double figures) {
  if (figures <= false_alarms) return least_z;
  return std::max(least_z, quantile(complement(boost::math::normal(), false_alarms / figures)));
}

std::vector<Suspect> suspects(std::vector<Result> const& results, std::vector<RankFacts> const& ranks,
                              ScreenLimits const& limits, Baseline const& baseline) {
  double judgements = 0;
  for (Result const& result : results) {
    if (!is_screened(result)) continue;
    judgements += static_cast<double>(result.ranks->seconds.size() + pasts_of(result, ranks, baseline).ranks.size());
  }
  double const least = -z_limit(judgements);
  std::vector<Suspect> found;
  for (Result const& result : results) {
    if (!is_screened(result)) continue;
    auto const look = [&](std::size_t rank, double x, Spread const& all, bool own_past) {
      judge(found, {result.planned->name(), rank, 0, 0, own_past}, x, all, least, limits);
    };
    if (has_peers(result)) {
      std::vector<double> const rates = rates_of(*result.ranks);
      Spread const all = spread_of(rates);
      for (std::size_t r = 0; r < rates.size(); ++r) look(r, rates[r], all, false);
    }
    Pasts const past = pasts_of(result, ranks, baseline);
    if (past.ranks.empty()) continue;
    Spread const all = past.ranks.size() >= fewest_ranks ? spread_of(past.shares) : Spread{1, past.own_mad};
    for (std::size_t i = 0; i < past.ranks.size(); ++i) look(past.ranks[i], past.shares[i], all, true);
  }
  return found;
}

std::vector<Suspect> slow_messages(std::vector<Result> const& results, std::vector<RankFacts> const& ranks,
                                   ScreenLimits const& limits) {
  struct Alike {
    std::string case_name;
    std::vector<PairRate> pairs;
  };
  std::vector<Alike> all_alike;
  double judgements = 0;
  for (Result const& result : results) {
    for (bool const within : {true, false}) {
      std::vector<PairRate> pairs = rates_of_pairs(result, ranks, within);
      judgements += static_cast<double>(pairs.size());
      if (!pairs.empty()) all_alike.push_back({result.planned->name(), std::move(pairs)});
    }
  }
  double const least = -z_limit(judgements);
  std::vector<Suspect> found;
  for (Alike const& alike : all_alike) {
    std::vector<double> rates;
    for (PairRate const& pair : alike.pairs) rates.push_back(pair.rate);
    Spread const all = spread_of(rates);
    for (PairRate const& pair : alike.pairs)
      judge(found, {alike.case_name, pair.from, 0, 0, false, pair.to}, pair.rate, all, least, limits);
  }
  return found;
}

std::vector<std::string> hosts_in_common(std::vector<Suspect> const& messages, std::vector<RankFacts> const& ranks) {
  std::vector<std::string> common;
  for (Suspect const& one : messages) {
    std::set<std::string> const ends{ranks[one.rank].host, ranks[*one.to].host};
    if (&one == &messages.front()) common.assign(ends.begin(), ends.end());
    common.erase(std::remove_if(common.begin(), common.end(), [&](auto const& host) { return ends.count(host) == 0; }),
                 common.end());
  }
  return common;
}

std::vector<SlowCase> slower_than_their_past(std::vector<Result> const& results, std::vector<RankFacts> const& ranks,
                                             ScreenLimits const& limits, Baseline const& baseline) {
  std::vector<SlowCase> slow;
  for (Result const& result : results) {
    if (!is_screened(result)) continue;
    Pasts const past = pasts_of(result, ranks, baseline);
    if (past.ranks.empty()) continue;
    double const deficit = 1 - median_of(past.shares);
    if (deficit > limits.watch) slow.push_back({result.planned->name(), deficit});
  }
  return slow;
}

char const* name_of(Action action) {
  switch (action) {
    case Action::watch: return "watch";
    case Action::retest: return "retest";
    case Action::replace: return "replace";
  }
  return "";
}

std::vector<Finding> findings(std::vector<Suspect> const& first, std::vector<Suspect> const& repeat,
                              std::set<std::string> const& repeated, ScreenLimits const& limits) {
  using Who = std::pair<std::size_t, std::optional<std::size_t>>;  // a rank, or messages
  std::map<Who, Finding> by_who;
  std::map<Who, std::set<std::string>> cases;
  std::map<std::pair<std::string, Who>, std::vector<Suspect const*>> by_place;
  for (Suspect const& again : repeat) by_place[{again.case_name, {again.rank, again.to}}].push_back(&again);
  auto const order = [](Finding const& f) {  // a suspect that nobody looked at again comes before one that was cleared
    int const urgency = f.action == Action::replace ? 3 : f.action == Action::watch ? 2 : f.repeated ? 0 : 1;
    return std::pair(urgency, f.worst.deficit);
  };
  for (Suspect const& suspect : first) {
    Who const who{suspect.rank, suspect.to};
    Finding finding{suspect.rank, Action::retest, suspect, 0, repeated.count(suspect.case_name) != 0};
    if (auto const again = by_place.find({suspect.case_name, who}); again != by_place.end()) {
      for (Suspect const* const other : again->second) {  // by the same comparison, where both say so
        bool const alike = other->own_past == suspect.own_past || again->second.size() == 1;
        if (alike && other->deficit < suspect.deficit) finding.worst = *other;
      }
      finding.action = finding.worst.deficit >= limits.replace ? Action::replace : Action::watch;
    }
    auto const [known, is_new] = by_who.try_emplace(who, finding);
    if (!is_new && order(finding) > order(known->second)) known->second = finding;
    cases[who].insert(suspect.case_name);
  }
  std::vector<Finding> all;
  for (auto& [who, finding] : by_who) {
    finding.cases = cases[who].size();
    all.push_back(finding);
  }
  return all;
}

bool has_peers(Result const& result) { return is_screened(result) && result.ranks->seconds.size() >= fewest_ranks; }

double spread_between(OfRanks const& ranks) {
  Spread const spread = spread_of(rates_of(ranks));
  return sigma_of_mad * spread.mad / spread.median;
}

double smallest_found(double spread, double figures, ScreenLimits const& limits) {
  constexpr double one_in_hundred = 2.326;  // standard deviations below which one of a hundred lies
  return std::max(limits.watch, z_limit(figures) * spread) + one_in_hundred * spread;
}

}  // namespace tilestride
