// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "model/result.hpp"
#include "patterns/common/findings.hpp"
#include "patterns/launch/teams.hpp"

namespace tilestride::launch {
namespace {

constexpr Prepare teams = prepare<Launch, Teams, std::int32_t>;
template <auto Launcher>
constexpr Prepare raw = prepare_native<Launch, Launcher, std::int32_t>;

std::string refuse(Case const& c) {
  if (std::string const reason = refuse_team(c.integer("team")); !reason.empty()) return reason;
  if (c.integer("threads") % c.integer("team") != 0)
    return fmt::format("{} threads are no whole number of teams of {}", c.integer("threads"), c.integer("team"));
  if (teams_of(c) > most_teams) return fmt::format("a league has at most {} teams", most_teams);
  return "";
}

double array_bytes(Case const& c) { return static_cast<double>(words_of(c)) * sizeof(Word); }

double needs(Case const& c) { return 2 * array_bytes(c) + sizeof(Word); }

Work work(Case const& c) {
  double const arrays = op_of(c) == Op::load ? 1 : 2;
  return {arrays * array_bytes(c), 0, static_cast<double>(teams_of(c))};
}

/// What a kernel costs: a league of one team.
std::vector<std::string> findings(std::vector<Result> const& results) {
  std::vector<std::string> sentences;
  for (Result const& result : results) {
    Case const& c = *result.planned;
    if (result.outcome != Outcome::passed || teams_of(c) != 1) continue;
    sentences.push_back(fmt::format("{}/{}: a kernel of one team of {} takes {:.2f} us, op={}", c.variant->name,
                                    c.space, c.integer("team"), 1e6 / result.rate(), c.choice("op")));
  }
  return sentences;
}

}  // namespace

Pattern pattern() {
  Pattern p;
  p.name = "launch";
  p.meaning = "a league whose threads do next to nothing: what does a kernel cost, and each of its teams?";
  p.types = {Type::i32};
  p.figure = Figure::latency;
  p.formula = "none: a cost is measured, the time of the league for each team";
  p.keys = {
      {"op",
       KeyKind::choice,
       "load",
       {"nothing", "load", "copy", "exchange"},
       "what a thread does: load: waits for a word of its own; copy: stores it; exchange: passes it on through "
       "scratch"},
      {"threads",
       KeyKind::integer,
       "33554432",
       {},
       "of the league, a whole number of teams; as many as a team: one team"},
      {"team", KeyKind::integer, "256", {}, "threads of a team; at most 1024"},
  };
  p.variants = {
      portable("teams", "a TeamPolicy over the league", teams),
      native("native_teams", "a grid of blocks in raw CUDA", raw<&Launchers::teams>).twin_of("teams"),
  };
  p.on_hosts = "a team is one thread, which does the work of all: what a parallel loop costs, and each of its steps";
  p.refuse = refuse;
  p.needs = needs;
  p.work = work;
  p.model = no_model;
  p.findings = findings;
  return p;
}

}  // namespace tilestride::launch
