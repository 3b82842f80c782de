// SPDX-License-Identifier: BSD-3-Clause
#include "patterns/stride_copy/stride_copy.hpp"

#include <algorithm>

#include "patterns/patterns.hpp"
#include "patterns/sectors.hpp"
#include "patterns/stride_copy/stride.hpp"

namespace tilestride {
namespace {

template <Prepare prepare>
Trial in_one_league(Bench& bench, Case const& c) {
  if (std::string const reason = too_many_teams(blocks_of(c, stride_copy_team)); !reason.empty())
    return skipped(reason);
  return prepare(bench, c);
}

constexpr Prepare stride = in_one_league<prepare<StrideCopy, Strided, float, double>>;
constexpr Prepare native = in_one_league<prepare_native<StrideCopy, float, double>>;

double bytes(Case const& c) { return static_cast<double>(c.find("bytes")->n[0]); }
double needs(Case const& c) { return 2 * bytes(c) * static_cast<double>(c.integer("stride")); }
Work work(Case const& c) { return {2 * bytes(c), 0}; }

std::string refuse(Case const& c) {
  if (needs(c) >= 0x1p62) return "the arrays would be larger than any memory";
  return refuse_bytes(c.find("bytes")->n[0], c.type);
}

/// Elements of a sector, on hosts of a line of 64 bytes, that are moved for each one that is asked for.
double moved_for_each(Case const& c) {
  std::int64_t const unit = is_host_space(c.space) ? 64 : sector_bytes;
  return static_cast<double>(std::min(c.integer("stride"), unit / size_of(c.type)));
}

Model model(Case const& c, Ceilings const& ceilings) {
  if (ceilings.copy == 0) return {};
  return {work(c).bytes * moved_for_each(c) / ceilings.copy, is_host_space(c.space) ? "lines" : "sectors"};
}

/// In the words of Nsight Compute, l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld and …_st.
Quantities predict(Case const& c) {
  if (is_host_space(c.space)) return {};
  double const sectors = sectors_per_request({size_of(c.type), stride_copy_team, 0, c.integer("stride")});
  return {{"sectors/load", sectors}, {"sectors/store", sectors}};
}

std::vector<std::string> findings(std::vector<Result> const& results) { return sweep_findings(results, "stride"); }

}  // namespace

Pattern stride_copy_pattern() {
  Pattern pattern{
      "stride_copy",
      "out[i x stride] = in[i x stride]: what does a copy lose that uses one element of several?",
      {Type::f32, Type::f64},
      Figure::bandwidth,
      "a lower bound of the time: min(stride, 32 / e) copies of the bytes that are used (e bytes an element), since "
      "sectors of 32 bytes are moved whole; on hosts min(stride, 64 / e), for lines of 64",
      {
          {"bytes", KeyKind::bytes, "64 MiB", {}, "what is copied; each array is stride times as large"},
          {"stride", KeyKind::integer, "1", {}, "elements from one that is copied to the next"},
          per_thread_key(),
      },
      {
          {"stride", "neighbours copy what lies a stride apart, teams of 256", Role::solution, stride, {}},
          Variant{"native", "neighbours copy what lies a stride apart, blocks of 256", Role::native, native, {}}
              .twin_of("stride"),
      },
      refuse,
      needs,
      work,
      model,
      findings,
  };
  pattern.on_hosts = "a thread walks the elements of a team in turn: lines of 64 bytes are moved whole, and prefetched";
  pattern.predict = predict;
  return pattern;
}

}  // namespace tilestride
