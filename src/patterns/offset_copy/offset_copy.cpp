// SPDX-License-Identifier: BSD-3-Clause
#include "patterns/offset_copy/offset_copy.hpp"

#include "patterns/offset_copy/duplicated.hpp"
#include "patterns/offset_copy/offset.hpp"
#include "patterns/offset_copy/partial.hpp"
#include "patterns/offset_copy/permuted.hpp"
#include "patterns/patterns.hpp"
#include "patterns/sectors.hpp"

namespace tilestride {
namespace {

constexpr std::int64_t most_offset = 1024;

std::int64_t elements(Case const& c) { return c.find("bytes")->n[0] / size_of(c.type); }

template <Prepare prepare>
Trial in_one_league(Bench& bench, Case const& c) {
  if (std::string const reason = too_many_teams(blocks_of(c, c.integer("team"))); !reason.empty())
    return skipped(reason);
  return prepare(bench, c);
}

template <class Kernel>
constexpr Prepare kernel = in_one_league<prepare<OffsetCopy, Kernel, float, double>>;
constexpr Prepare native = in_one_league<prepare_native<OffsetCopy, float, double>>;

std::string refuse(Case const& c) {
  if (std::string const reason = refuse_bytes(c.find("bytes")->n[0], c.type); !reason.empty()) return reason;
  if (c.integer("offset") > most_offset)
    return fmt::format("offsets beyond {} elements are not built in: a sector is 32 bytes", most_offset);
  return refuse_team(c.integer("team"));
}

double needs(Case const& c) {
  return 2.0 * static_cast<double>((c.integer("offset") + elements(c) + offset_copy_margin) * size_of(c.type));
}

/// Of the threads of a team, each how-many-th reads or writes elements of its own.
struct Every {
  std::int64_t reading, writing;
};
Every every(Case const& c) {
  if (c.variant->name == "partial") return {2, 2};
  if (c.variant->name == "duplicated") return {2, 1};
  return {1, 1};
}

/// The elements of threads 0, every, 2·every, … of each team.
double elements_of(Case const& c, std::int64_t every) {
  std::int64_t const team = c.integer("team"), n = elements(c);
  return static_cast<double>(n / team * ((team + every - 1) / every) + (n % team + every - 1) / every);
}

/// Only what is read or written by somebody.
Work work(Case const& c) {
  auto const [reading, writing] = every(c);
  return {(elements_of(c, reading) + elements_of(c, writing)) * static_cast<double>(size_of(c.type)), 0};
}

/// Each row of a block is walked as if a team of its own had it.
Walk walk(Case const& c, std::int64_t every) {
  return {size_of(c.type), c.integer("team"), c.integer("offset"), 1, every};
}

/// What is moved for each element, whether it is used or not. A host moves whole lines, which neighbours share: all
/// that a copy in order would.
double moved_for_each(Case const& c) {
  if (is_host_space(c.space)) return 2 * static_cast<double>(size_of(c.type));
  auto const [reading, writing] = every(c);
  return sector_bytes * (sectors_per_thread(walk(c, reading)) + sectors_per_thread(walk(c, writing)));
}

Model model(Case const& c, Ceilings const& ceilings) {
  if (ceilings.copy == 0) return {};
  return {static_cast<double>(elements(c)) * moved_for_each(c) / ceilings.copy,
          is_host_space(c.space) ? "copy" : "sectors"};
}

/// In the words of Nsight Compute, l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld and …_st.
Quantities predict(Case const& c) {
  if (is_host_space(c.space)) return {};
  auto const [reading, writing] = every(c);
  return {{"sectors/load", sectors_per_request(walk(c, reading))},
          {"sectors/store", sectors_per_request(walk(c, writing))}};
}

std::vector<std::string> findings(std::vector<Result> const& results) { return sweep_findings(results, "offset"); }

}  // namespace

Pattern offset_copy_pattern() {
  Pattern pattern{
      "offset_copy",
      "out[i + offset] = in[i + offset]: what does a copy lose whose warps begin in the middle of a sector?",
      {Type::f32, Type::f64},
      Figure::bandwidth,
      "sectors of 32 bytes that the warps ask for, at the rate of a copy and without a cache between them: e a warp "
      "where offset x e is a multiple of 32, else e + 1 (e bytes an element), so that the copy keeps e / (e + 1) of "
      "its rate; teams that are no multiple of 32 are counted warp by warp; on hosts the time of a copy in order",
      {
          {"bytes", KeyKind::bytes, "64 MiB", {}, "what is copied, in order, all lanes at work"},
          {"offset", KeyKind::integer, "0", {}, "elements by which the copy is shifted; at most 1024", 0},
          {"team", KeyKind::integer, "256", {}, "threads of a team; at most 1024"},
          per_thread_key(),
      },
      {
          {"offset", "lanes in order", Role::solution, kernel<InOrder>, {}},
          {"permuted", "lanes of a warp swap places", Role::solution, kernel<Permuted>, {}},
          {"partial", "every second lane idles: half is copied", Role::bound, kernel<Partial>, {}},
          {"duplicated", "two lanes read the same element: half is read", Role::bound, kernel<Duplicated>, {}},
          Variant{"native", "lanes in order", Role::native, native, {}}.twin_of("offset"),
      },
      refuse,
      needs,
      work,
      model,
      findings,
  };
  pattern.on_hosts =
      "a team is a block of elements that one thread walks: vector loads across lines of 64 bytes, and no warps";
  pattern.predict = predict;
  pattern.quoted = {
      {"offset", Type::f32, {{"offset", "0"}, {"team", "256"}, {"per_thread", "1"}}, 790, "GB/s", "Tesla V100"},
      {"offset", Type::f32, {{"offset", "8"}, {"team", "256"}, {"per_thread", "1"}}, 790, "GB/s", "Tesla V100"},
      {"offset",
       Type::f32,
       {{"offset", "1"}, {"team", "256"}, {"per_thread", "1"}},
       632,
       "GB/s",
       "Tesla V100, reckoned"},
  };
  return pattern;
}

}  // namespace tilestride
