// SPDX-License-Identifier: BSD-3-Clause
#include "patterns/common/findings.hpp"
#include "patterns/common/host_steps.hpp"
#include "patterns/common/sectors.hpp"
#include "patterns/common/teams_on_card.hpp"
#include "patterns/offset_copy/duplicated.hpp"
#include "patterns/offset_copy/offset.hpp"
#include "patterns/offset_copy/partial.hpp"
#include "patterns/offset_copy/permuted.hpp"

namespace tilestride::offset_copy {
namespace {

template <class Kernel>
constexpr Prepare kernel = in_one_league<prepare<OffsetCopy, Kernel, float, double>>;
template <auto Launcher>
constexpr Prepare raw = in_one_league<prepare_native<OffsetCopy, Launcher, float, double>>;

constexpr std::int64_t most_offset = 1024;

std::int64_t elements(Case const& c) { return c.integer("bytes") / size_of(c.type); }

std::string refuse(Case const& c) {
  if (std::string const reason = refuse_bytes(c.integer("bytes"), c.type); !reason.empty()) return reason;
  if (c.integer("offset") > most_offset)
    return fmt::format("offsets beyond {} elements are not built in: no sector is as long", most_offset);
  return refuse_team(c.integer("team"));
}

double needs(Case const& c) {
  return 2.0 * static_cast<double>((c.integer("offset") + elements(c) + margin) * size_of(c.type));
}

/// The elements of threads 0, every, 2·every, … of each team.
double elements_of(Case const& c, std::int64_t every) {
  std::int64_t const team = c.integer("team"), n = elements(c);
  return static_cast<double>(n / team * ((team + every - 1) / every) + (n % team + every - 1) / every);
}

// Of a kernel whose threads read and write as Kernel::every has it.

/// Only what is read or written by some thread.
template <class Kernel>
Work work(Case const& c) {
  double const moved = elements_of(c, Kernel::every.reading) + elements_of(c, Kernel::every.writing);
  return {moved * static_cast<double>(size_of(c.type)), 0};
}

double fetched(Case const& c) { return static_cast<double>(c.integer("bytes")); }
/// Sectors that are written in part are read, too.
double fetched_by_partial(Case const& c) { return 2 * fetched(c); }

/// Each row of a block is walked as if a team of its own had it.
Walk walk(Case const& c, std::int64_t every) {
  return {size_of(c.type), c.integer("team"), c.integer("offset"), 1, every};
}

/// A host moves whole lines, which neighbours share: all that a copy in order would. Where not every thread reads or
/// writes it finds out for each element, and has no loads under way meanwhile.
template <class Kernel>
Model host_model_of(Case const& c, Ceilings const& ceilings) {
  auto const n = static_cast<double>(elements(c));
  if (ceilings.copy == 0) return {};
  Model const copy{n * 2 * static_cast<double>(size_of(c.type)) / ceilings.copy, "copy"};
  if (Kernel::every.reading == 1) return copy;
  return host_model({copy.seconds, seconds_of_steps(c, "placed", n)}, "steps");
}

/// What is moved are sectors, whether all of their elements are used or not. One that is written in part is read first.
template <class Kernel>
Model model(Case const& c, Ceilings const& ceilings) {
  if (is_host_space(c.space)) return host_model_of<Kernel>(c, ceilings);
  if (ceilings.copy == 0) return {};
  auto const n = static_cast<double>(elements(c));
  if (!has_sectors(c.hardware)) return {};
  double const read = sectors_per_thread(walk(c, Kernel::every.reading), c.hardware);
  double const written = sectors_per_thread(walk(c, Kernel::every.writing), c.hardware);
  double const sectors = read + written * (Kernel::every.writing > 1 ? 2 : 1);
  Model const moved{n * (c.hardware.sector * sectors) / ceilings.copy, "sectors"};
  auto const team = static_cast<double>(c.integer("team"));
  return c.integer("per_thread") > 1 ? moved : with_teams(moved, c, n / team, c.integer("team"), "copy");
}

/// On a host the arithmetic of its places decides, of which the card knows nothing.
Model permuted_model(Case const& c, Ceilings const& ceilings) {
  return is_host_space(c.space) ? Model{} : model<InOrder>(c, ceilings);
}

/// In the words of Nsight Compute, l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld and …_st.
template <class Kernel>
Quantities predict(Case const& c) {
  if (!has_sectors(c.hardware)) return {};
  return {{"sectors/load", sectors_per_request(walk(c, Kernel::every.reading), c.hardware)},
          {"sectors/store", sectors_per_request(walk(c, Kernel::every.writing), c.hardware)}};
}

std::vector<std::string> findings(std::vector<Result> const& results) { return sweep_findings(results, "offset"); }

}  // namespace

Pattern pattern() {
  Pattern p;
  p.name = "offset_copy";
  p.meaning = "out[i + offset] = in[i + offset]: what does a copy lose whose warps begin in the middle of a sector?";
  p.types = {Type::f32, Type::f64};
  p.figure = Figure::bandwidth;
  p.formula =
      "sectors of 32 bytes that the warps ask for, at the rate of a copy and without a cache between them: e a warp "
      "where offset x e is a multiple of 32, else e + 1 (e bytes an element), so that the copy keeps e / (e + 1) of "
      "its rate; partial: a sector that is written in part is read first; teams that are no multiple of 32 are counted "
      "warp by warp; per_thread = 1: no faster than the card's launch/teams. On hosts the time of a copy in order; "
      "partial, duplicated: and a step of the card's steps/placed for each element; permuted: none, since what its "
      "places take is reckoned by no other loop, and the card would need one of its own";
  p.keys = {
      {"bytes", KeyKind::bytes, "64 MiB", {}, "what is copied, in order, all lanes at work"},
      {"offset", KeyKind::integer, "0", {}, "elements by which the copy is shifted; at most 1024", 0},
      {"team", KeyKind::integer, "256", {}, "threads of a team; at most 1024"},
      per_thread_key(),
  };
  p.variants = {
      portable("offset", "lanes in order", kernel<InOrder>),
      portable("permuted", "lanes of a warp swap places", kernel<Permuted>).with_model(permuted_model),
      bound("partial", "every second lane idles: half is copied", kernel<Partial>)
          .with_work(work<Partial>)
          .with_model(model<Partial>)
          .with_predict(predict<Partial>)
          .with_fetched(fetched_by_partial),
      bound("duplicated", "two lanes read the same element: half is read", kernel<Duplicated>)
          .with_work(work<Duplicated>)
          .with_model(model<Duplicated>)
          .with_predict(predict<Duplicated>),
      native("native_offset", "offset in raw CUDA", raw<&Launchers::offset>).twin_of("offset"),
      native("native_past_l1", "native_offset, its loads cached in L2 only (__ldcg): not available in Kokkos",
             raw<&Launchers::past_l1>),
  };
  p.on_hosts =
      "a team is a block of elements that one thread walks: vector loads across lines of 64 bytes, and no warps";
  p.refuse = refuse;
  p.needs = needs;
  p.work = work<InOrder>;
  p.fetched = fetched;
  p.model = model<InOrder>;
  p.predict = predict<InOrder>;
  p.findings = findings;
  p.published = {
      {"native_offset", Type::f32, {{"offset", "0"}, {"team", "256"}, {"per_thread", "1"}}, 790, "GB/s", "Tesla V100"},
      {"native_offset", Type::f32, {{"offset", "8"}, {"team", "256"}, {"per_thread", "1"}}, 790, "GB/s", "Tesla V100"},
      {"native_offset",
       Type::f32,
       {{"offset", "1"}, {"team", "256"}, {"per_thread", "1"}},
       632,
       "GB/s",
       "Tesla V100, reckoned"},
  };
  return p;
}

}  // namespace tilestride::offset_copy
