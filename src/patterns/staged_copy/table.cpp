// SPDX-License-Identifier: BSD-3-Clause
#include "patterns/common/findings.hpp"
#include "patterns/common/sectors.hpp"
#include "patterns/common/teams_on_card.hpp"
#include "patterns/staged_copy/scratch.hpp"

namespace tilestride::staged_copy {
namespace {

constexpr Prepare scratch = in_one_league<prepare<StagedCopy, ThroughScratch, std::int32_t, float, double>>;
template <auto Launcher>
constexpr Prepare raw = in_one_league<prepare_native<StagedCopy, Launcher, std::int32_t, float, double>>;

std::string refuse(Case const& c) {
  std::string const reason = refuse_bytes(c.integer("bytes"), c.type);
  return reason.empty() ? refuse_team(c.integer("team")) : reason;
}

double array_bytes(Case const& c) { return static_cast<double>(c.integer("bytes")); }
double needs(Case const& c) { return 2 * array_bytes(c); }
Work work(Case const& c) { return {2 * array_bytes(c), array_bytes(c) / static_cast<double>(size_of(c.type))}; }

Model model(Case const& c, Ceilings const& ceilings) {
  Model const copy = copy_model(c, ceilings);
  if (c.integer("per_thread") > 1) return copy;
  return with_teams(copy, c, work(c).flops / static_cast<double>(c.integer("team")), c.integer("team"), "exchange");
}

Quantities predict(Case const& c) {
  if (!has_sectors(c.hardware)) return {};
  double const sectors = sectors_per_request({size_of(c.type), c.integer("team")}, c.hardware);
  return {{"sectors/load", sectors}, {"sectors/store", sectors}};
}

std::vector<std::string> findings(std::vector<Result> const& results) { return sweep_findings(results, "team"); }

}  // namespace

Pattern pattern() {
  Pattern p;
  p.name = "staged_copy";
  p.meaning = "out = in + 1 by way of scratch: how is scratch asked for, and what does the detour cost?";
  p.types = {Type::i32, Type::f32, Type::f64};
  p.figure = Figure::bandwidth;
  p.formula =
      "time of a copy of as many bytes (2 arrays): the detour through scratch is free; per_thread = 1: no faster "
      "than the card's launch/teams";
  p.keys = {
      {"bytes", KeyKind::bytes, "64 MiB", {}, "size of one array"},
      {"team", KeyKind::integer, "128", {}, "threads of a team; at most 1024"},
      per_thread_key(),
  };
  p.variants = {
      portable("scratch", "team scratch, its size given at the launch", scratch),
      native("native_static", "__shared__ array of a size known to the compiler", raw<&Launchers::static_array>)
          .twin_of("scratch"),
      native("native_dynamic", "extern __shared__, its size given at the launch", raw<&Launchers::dynamic>)
          .twin_of("scratch"),
      native("native_async", "cp.async: global to shared memory past the registers", raw<&Launchers::async>)
          .twin_of("scratch"),
  };
  p.on_hosts =
      "scratch is memory of the one thread that makes a team, and stays in its first cache: what is seen is the cost "
      "of handing out teams";
  p.refuse = refuse;
  p.needs = needs;
  p.work = work;
  p.fetched = array_bytes;
  p.model = model;
  p.requested = each_byte_once;
  p.predict = predict;
  p.findings = findings;
  return p;
}

}  // namespace tilestride::staged_copy
