// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "patterns/common/findings.hpp"
#include "patterns/common/host_steps.hpp"
#include "patterns/common/sectors.hpp"
#include "patterns/common/teams_on_card.hpp"
#include "patterns/stride_copy/stride.hpp"

namespace tilestride::stride_copy {
namespace {

constexpr Prepare stride = in_one_league<prepare<StrideCopy, Strided, float, double>, blocks_of>;
template <auto Launcher>
constexpr Prepare raw = in_one_league<prepare_native<StrideCopy, Launcher, float, double>, blocks_of>;

constexpr std::int64_t host_lines = 128;  // bytes: of a line and its neighbour

double bytes(Case const& c) { return static_cast<double>(c.integer("bytes")); }
double needs(Case const& c) { return 2 * bytes(c) * static_cast<double>(c.integer("stride")); }
Work work(Case const& c) { return {2 * bytes(c), 0}; }

std::string refuse(Case const& c) {
  if (needs(c) >= 0x1p62) return "the arrays would be larger than any memory";
  return refuse_bytes(c.integer("bytes"), c.type);
}

/// A host moves lines, each with the other one of its pair, which prefetchers bring along.
Model host_pairs(Case const& c) {
  double const moved = static_cast<double>(std::min(c.integer("stride"), host_lines / size_of(c.type)));
  return host_model({seconds_of_moved_bytes(c, work(c).bytes * moved, work(c).bytes * moved)}, "lines");
}

/// Memory is read two sectors at a time, and a sector that is written in part is read first.
Model model(Case const& c, Ceilings const& ceilings) {
  if (is_host_space(c.space)) return host_pairs(c);
  std::int64_t const unit = c.hardware.sector;
  if (ceilings.copy == 0 || unit == 0) return {};
  auto const moved_for_each = [&](std::int64_t bytes_at_once) {
    return static_cast<double>(std::min(c.integer("stride"), bytes_at_once / size_of(c.type)));
  };
  bool const fills = c.integer("stride") > 1;
  double const moved = moved_for_each(2 * unit) + moved_for_each(unit) * (fills ? 2 : 1);
  Model const sectors{bytes(c) * moved / ceilings.copy, "sectors"};
  double const teams = bytes(c) / static_cast<double>(size_of(c.type) * team_threads);
  return c.integer("per_thread") > 1 ? sectors : with_teams(sectors, c, teams, team_threads, "copy");
}

/// In the words of Nsight Compute, l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld and …_st.
Quantities predict(Case const& c) {
  if (!has_sectors(c.hardware)) return {};
  double const sectors = sectors_per_request({size_of(c.type), team_threads, 0, c.integer("stride")}, c.hardware);
  return {{"sectors/load", sectors}, {"sectors/store", sectors}};
}

std::vector<std::string> findings(std::vector<Result> const& results) { return sweep_findings(results, "stride"); }

}  // namespace

Pattern pattern() {
  Pattern p;
  p.name = "stride_copy";
  p.meaning = "out[i x stride] = in[i x stride]: what does a copy lose that uses one element of several?";
  p.types = {Type::f32, Type::f64};
  p.figure = Figure::bandwidth;
  p.formula =
      "for each byte that is used (e bytes an element) min(stride, 64 / e) are read, since memory is read two sectors "
      "of 32 bytes at a time, min(stride, 32 / e) written, and beyond stride 1 as many read to fill what is written in "
      "part, all at the rate of a copy; per_thread = 1: no faster than the card's launch/teams; on hosts min(stride, "
      "128 / e) each way, for a line of 64 and its neighbour, which prefetchers bring along, at the rate at which the "
      "card's bandwidth/global reads as much";
  p.keys = {
      {"bytes", KeyKind::bytes, "64 MiB", {}, "what is copied; each array is stride times as large"},
      {"stride", KeyKind::integer, "1", {}, "elements from one that is copied to the next"},
      per_thread_key(),
  };
  p.variants = {
      portable("stride", "neighbours copy what lies a stride apart, teams of 256", stride),
      native("native_stride", "stride in raw CUDA, blocks of 256", raw<&Launchers::stride>).twin_of("stride"),
  };
  p.on_hosts = "a thread walks the elements of a team in turn: lines of 64 bytes are moved whole, and prefetched";
  p.refuse = refuse;
  p.needs = needs;
  p.work = work;
  p.model = model;
  p.predict = predict;
  p.findings = findings;
  return p;
}

}  // namespace tilestride::stride_copy
