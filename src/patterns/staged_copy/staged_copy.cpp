// SPDX-License-Identifier: BSD-3-Clause
#include "patterns/staged_copy/staged_copy.hpp"

#include "patterns/patterns.hpp"
#include "patterns/sectors.hpp"
#include "patterns/staged_copy/scratch.hpp"

namespace tilestride {
namespace {

double array_bytes(Case const& c) { return static_cast<double>(c.find("bytes")->n[0]); }

template <Prepare prepare>
Trial in_one_league(Bench& bench, Case const& c) {
  if (std::string const reason = too_many_teams(blocks_of(c, c.integer("team"))); !reason.empty())
    return skipped(reason);
  return prepare(bench, c);
}

constexpr Prepare scratch = in_one_league<prepare<StagedCopy, ThroughScratch, std::int32_t, float, double>>;
constexpr Prepare native = in_one_league<prepare_native<StagedCopy, std::int32_t, float, double>>;

std::string refuse(Case const& c) {
  std::string const reason = refuse_bytes(c.find("bytes")->n[0], c.type);
  return reason.empty() ? refuse_team(c.integer("team")) : reason;
}

double needs(Case const& c) { return 2 * array_bytes(c); }
Work work(Case const& c) { return {2 * array_bytes(c), array_bytes(c) / static_cast<double>(size_of(c.type))}; }

Quantities predict(Case const& c) {
  if (is_host_space(c.space)) return {};
  double const sectors = sectors_per_request({size_of(c.type), c.integer("team")});
  return {{"sectors/load", sectors}, {"sectors/store", sectors}};
}

std::vector<std::string> findings(std::vector<Result> const& results) { return sweep_findings(results, "team"); }

}  // namespace

Pattern staged_copy_pattern() {
  Pattern pattern{
      "staged_copy",
      "out = in + 1 by way of scratch: how is scratch asked for, and what does the detour cost?",
      {Type::i32, Type::f32, Type::f64},
      Figure::bandwidth,
      "time of a copy of as many bytes (2 arrays): the detour through scratch is free",
      {
          {"bytes", KeyKind::bytes, "64 MiB", {}, "size of one array"},
          {"team", KeyKind::integer, "128", {}, "threads of a team; at most 1024"},
          per_thread_key(),
      },
      {
          {"scratch", "team scratch, its size given at the launch", Role::solution, scratch, {}},
          Variant{"native_static", "__shared__ array of a size known to the compiler", Role::native, native, {}}
              .twin_of("scratch"),
          Variant{"native_dynamic", "extern __shared__, its size given at the launch", Role::native, native, {}}
              .twin_of("scratch"),
          Variant{"native_async", "cp.async: global to shared memory past the registers", Role::native, native, {}}
              .twin_of("scratch"),
      },
      refuse,
      needs,
      work,
      copy_model,
      findings,
  };
  pattern.on_hosts =
      "scratch is memory of the one thread that makes a team, and stays in its first cache: what is seen is the cost "
      "of handing out teams";
  pattern.predict = predict;
  return pattern;
}

}  // namespace tilestride
