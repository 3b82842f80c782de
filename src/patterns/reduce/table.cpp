// SPDX-License-Identifier: BSD-3-Clause
#include "model/spaces.hpp"
#include "patterns/common/findings.hpp"
#include "patterns/common/host_steps.hpp"
#include "patterns/common/teams_on_card.hpp"
#include "patterns/reduce/flat.hpp"
#include "patterns/reduce/global.hpp"
#include "patterns/reduce/halving.hpp"
#include "patterns/reduce/kokkos.hpp"
#include "patterns/reduce/scratch.hpp"
#include "patterns/reduce/scratch_unrolled.hpp"
#include "patterns/reduce/team.hpp"

namespace tilestride::reduce {
namespace {

template <class Kernel>
constexpr Prepare kernel = prepare<Reduce, Kernel, float, double, std::int32_t>;
template <auto Launcher>
constexpr Prepare raw = prepare_native<Reduce, Launcher, float, double, std::int32_t>;

std::string refuse(Case const& c) { return refuse_bytes(c.integer("bytes"), c.type); }

double bytes(Case const& c) { return static_cast<double>(c.integer("bytes")); }

/// The input, as much again for the tree in global memory, and the partial sums.
double needs(Case const& c) { return (2 + 1.0 / (team_threads - 1)) * bytes(c); }

Work work(Case const& c) { return {bytes(c), bytes(c) / static_cast<double>(size_of(c.type))}; }

/// With a partial sum for each team, stored and loaded again, and so on.
double level_requests(Case const& c) { return bytes(c) * (1 + 2.0 / (team_threads - 1)); }

/// The tree too: every value and each of its sums is stored, and each sum loads four.
double tree_requests(Case const& c) {
  double const sums = (team_threads - 1) / 3.0 / team_threads;  // for each value
  return level_requests(c) + bytes(c) * (1 + 5 * sums) * team_threads / (team_threads - 1);
}

Model model(Case const& c, Ceilings const& ceilings) {
  if (ceilings.read == 0) return {};
  return {bytes(c) / ceilings.read, "read"};
}

/// On a host: every value is brought to where its tree is, and its team goes through the tree: with a test for each
/// element, `steps` of `kind` for each value.
Model host_tree(Case const& c, Ceilings const& ceilings, char const* kind, double steps) {
  double const values = bytes(c) / static_cast<double>(size_of(c.type));
  return no_faster_than(model(c, ceilings),
                        host_model({seconds_of_steps(c, "guarded", values), seconds_of_steps(c, kind, values * steps),
                                    seconds_of_a_league(c, values / team_threads)},
                                   "steps"));
}

/// Trees with one element per thread. The first step of a team is an exchange of the card's teams; each further one is
/// a barrier and a load of what others have stored.
template <int steps, AmountOf seconds_of_a_partial>
Model tree_model(Case const& c, Ceilings const& ceilings) {
  Model all = model(c, ceilings);
  if (all.seconds == 0) return all;
  double const teams = bytes(c) / static_cast<double>(size_of(c.type)) / team_threads;
  double const barrier = seconds_of_a_barrier(c, team_threads), load = seconds_of_a_partial(c);
  double const places = teams_in_place(c, team_threads);
  if (barrier <= 0 || load == 0 || places == 0) return {};
  return with_teams(all, c, teams, team_threads, "exchange", teams / places * (steps - 1) * (barrier + load));
}

// Of 256 threads, in quarters or halves. On a host one thread makes the sums of quarters one by one, 64 + 16 + 4 + 1,
// and goes over all 256 elements for each halving.
constexpr double sums_of_quarters = 85.0 / team_threads;
constexpr double halvings = 8;

template <AmountOf seconds_of_a_partial>
Model quarters_model(Case const& c, Ceilings const& ceilings) {
  if (is_host_space(c.space)) return host_tree(c, ceilings, "guarded", sums_of_quarters);
  return tree_model<4, seconds_of_a_partial>(c, ceilings);
}
Model halves_model(Case const& c, Ceilings const& ceilings) {
  if (is_host_space(c.space)) return host_tree(c, ceilings, "guarded", halvings);
  return tree_model<8, seconds_of_a_scratch_load>(c, ceilings);
}
/// The threads that add are every second, every fourth, …: a host divides to find them.
Model interleaved_model(Case const& c, Ceilings const& ceilings) {
  if (is_host_space(c.space)) return host_tree(c, ceilings, "remainder", halvings);
  return tree_model<8, seconds_of_a_scratch_load>(c, ceilings);
}
constexpr ModelOf global_tree = quarters_model<seconds_of_a_cached_load>;
constexpr ModelOf quarters = quarters_model<seconds_of_a_scratch_load>;

/// On a host a chain of additions, which a compiler must not reorder where they round.
Model flat_model(Case const& c, Ceilings const& ceilings) {
  if (!is_host_space(c.space) || c.type == Type::i32) return model(c, ceilings);
  double const values = bytes(c) / static_cast<double>(size_of(c.type));
  return no_faster_than(model(c, ceilings), host_model({seconds_of_steps(c, "add", values)}, "additions"));
}

}  // namespace

Pattern pattern() {
  Pattern p;
  p.name = "reduce";
  p.meaning = "the sum of an array: where do partial sums meet, and how much must a thread do before they meet?";
  p.types = {Type::f32, Type::f64, Type::i32};
  p.figure = Figure::bandwidth;
  p.formula =
      "time of reading as many bytes: partial sums are to cost nothing; with one element per thread no less than the "
      "card's launch/teams with op=exchange, and in each place of a team a barrier and a load of a partial sum for "
      "each further step of its tree (4 steps in quarters, 8 in halves). On hosts by the card's steps: n and n·85/256 "
      "of "
      "guarded in quarters, n and 8n in halves (interleaved: the 8n of remainder), and a team's start for each 256; "
      "flat, of reals: n of add. flat of integers: reading alone, since a compiler may reorder those";
  p.keys = {{"bytes", KeyKind::bytes, "64 MiB", {}, "size of the array"}};
  p.variants = {
      portable("global", "one element per thread, partial sums in global memory", kernel<InGlobal>)
          .with_model(global_tree)
          .with_requested(tree_requests),
      portable("scratch", "one element per thread, partial sums in scratch", kernel<InScratch>)
          .with_model(quarters)
          .with_requested(level_requests),
      portable("interleaved", "scratch as tutorials begin: half of the threads add, ever further apart",
               kernel<TreeInScratch<Interleaved>>)
          .with_model(interleaved_model)
          .with_requested(level_requests),
      portable("halving", "scratch as tutorials end: half of the threads add, side by side",
               kernel<TreeInScratch<Halves>>)
          .with_model(halves_model)
          .with_requested(level_requests),
      portable("scratch_unrolled", "64 bytes per thread in flight, then partial sums in scratch", kernel<Unrolled>)
          .with_requested(each_byte_once),
      portable("team", "64 bytes per thread in flight, then team_reduce", kernel<ByTeam>)
          .with_requested(each_byte_once),
      portable("flat", "parallel_reduce, one element per iteration", kernel<Flat>)
          .with_model(flat_model)
          .with_requested(each_byte_once),
      portable("kokkos", "parallel_reduce, 64 bytes in flight, one iteration per thread", kernel<ByKokkos>)
          .with_requested(each_byte_once),
      native("native_global", "global in raw CUDA", raw<&Launchers::global>)
          .twin_of("global")
          .with_model(global_tree)
          .with_requested(tree_requests),
      native("native_dynamic", "scratch in raw CUDA, dynamic shared memory", raw<&Launchers::dynamic>)
          .twin_of("scratch")
          .with_model(quarters)
          .with_requested(level_requests),
      native("native_interleaved", "interleaved in raw CUDA", raw<&Launchers::interleaved>)
          .twin_of("interleaved")
          .with_model(interleaved_model)
          .with_requested(level_requests),
      native("native_halving", "halving in raw CUDA", raw<&Launchers::halving>)
          .twin_of("halving")
          .with_model(halves_model)
          .with_requested(level_requests),
      native("native_unrolled", "scratch_unrolled in raw CUDA", raw<&Launchers::unrolled>)
          .twin_of("scratch_unrolled")
          .with_requested(each_byte_once),
      native("native_shuffle", "team in raw CUDA: __shfl_down_sync within a warp", raw<&Launchers::shuffle>)
          .twin_of("team")
          .with_requested(each_byte_once),
      native("native_cluster", "blocks of a cluster read each other's sums in distributed shared memory",
             raw<&Launchers::cluster>)
          .with_requested(each_byte_once),
      library("vendor", "cub::DeviceReduce::Sum", raw<&Launchers::vendor>),
  };
  p.on_hosts =
      "a team is one thread: the trees become loops over 256 elements that stay in its cache, and what counts is that "
      "each thread has a long stretch and several sums";
  p.refuse = refuse;
  p.needs = needs;
  p.work = work;
  p.fetched = bytes;
  p.model = model;
  p.findings = ladder_findings;
  return p;
}

}  // namespace tilestride::reduce
