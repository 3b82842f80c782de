// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "model/result.hpp"
#include "patterns/common/findings.hpp"
#include "patterns/common/host_steps.hpp"
#include "patterns/common/requests_on_card.hpp"
#include "patterns/occupancy/desired.hpp"
#include "patterns/occupancy/local_array.hpp"
#include "patterns/occupancy/spill.hpp"

namespace tilestride::occupancy {
namespace {

constexpr char const* no_bounds = "a host's thread has all registers of its core: there are none to share out";

/// The items fill the multiprocessors evenly.
std::optional<Skip> why_no_items(Case const& c) {
  if (item_count(c) > 0) return {};
  return Skip{SkipReason::hardware, "how many multiprocessors the device has is not known"};
}

template <auto Launcher>
Trial raw(Bench& bench, Case const& c) {
  if (auto const skip = why_no_items(c)) return skipped(skip->reason, skip->words);
  return prepare_native<Occupancy, Launcher, float, double>(bench, c);
}

template <class Kernel, class Exec, class T, int Live>
Trial prepare_body(Bench& bench, Case const& c) {
  auto const problem = problem_on<Occupancy<Exec, T>>(bench, c);
  TeamShape const shape = team_shape<Exec>(static_cast<int>(c.integer("team")), 1, 0);
  if (int const largest = largest_team<Live, Kernel>(*problem); shape.threads > largest)
    return skipped(SkipReason::limit,
                   fmt::format("a team of {} threads needs more registers than there are; the largest has {}",
                               shape.threads, largest));
  Trial trial = trial_over<Kernel>(
      problem, c, [threads = shape.threads](Occupancy<Exec, T> const& p) { launch<Live, Kernel>(p, threads); });
  note_shape(trial, shape);
  return trial;
}

template <class Kernel>
Trial kernel(Bench& bench, Case const& c) {
  if (auto const skip = why_no_items(c)) return skipped(skip->reason, skip->words);
  return with_space(c.space, [&](auto space) {
    using Exec = typename decltype(space)::type;
    if constexpr (is_host<Exec> && !Kernel::on_hosts) {
      return skipped(SkipReason::no_meaning, no_bounds);
    } else {
      return with_type<float, double>(c.type, [&](auto type) {
        return with_int(LiveCounts{}, c.integer("live"), [&](auto live) {
          return prepare_body<Kernel, Exec, typename decltype(type)::type, decltype(live)::value>(bench, c);
        });
      });
    }
  });
}

double items(Case const& c) { return static_cast<double>(item_count(c)); }

double needs(Case const& c) { return 2 * items(c) * static_cast<double>(size_of(c.type)); }

Work work(Case const& c) {
  int const live = static_cast<int>(c.integer("live"));
  return {needs(c), 2 * items(c) * live * steps_of(live)};
}

Model fma_model(Case const& c, Ceilings const& ceilings) {
  if (ceilings.fma == 0) return {};
  return {work(c).flops / ceilings.fma, "fma"};
}

/// So many steps one after the other for all items, on a host.
Model host_chains(Case const& c, Ceilings const& ceilings, char const* kind, double steps) {
  return no_faster_than(fma_model(c, ceilings), host_model({seconds_of_steps(c, kind, items(c) * steps)}, "latency"));
}

/// A host works on one item at a time: of its values each multiply-add waits for the one of the step before, those of
/// all values side by side.
Model unrolled_model(Case const& c, Ceilings const& ceilings) {
  if (!is_host_space(c.space)) return fma_model(c, ceilings);
  return host_chains(c, ceilings, "multiply_add", steps_of(static_cast<int>(c.integer("live"))));
}

/// A load and a store for every multiply-add: a first-level cache passes each store on to L2. On a host each waits for
/// its index, which follows from the one before it.
Model local_model(Case const& c, Ceilings const& ceilings) {
  if (is_host_space(c.space)) return host_chains(c, ceilings, "chained", work(c).flops / 2 / items(c));
  Model model = fma_model(c, ceilings);
  if (model.seconds == 0) return model;
  double const seconds = work(c).flops / 2 * static_cast<double>(size_of(c.type)) * seconds_of_a_byte_stored(c);
  return seconds == 0 ? Model{} : slower_of(model, {seconds, "stores"});
}

/// A loop of steps_together steps loads what they spill, each value once in a step at most, and stores as much, which a
/// first-level cache passes on to L2; the sums at the end load each value once more. What the last cache does not hold
/// goes to memory and comes back.
Model spilling_model(Case const& c, Ceilings const& ceilings) {
  Model model = fma_model(c, ceilings);
  if (model.seconds == 0 || !c.spills) return {};
  if (c.spills->loads == 0) return model;
  int const live = static_cast<int>(c.integer("live"));
  double const values = live * static_cast<double>(size_of(c.type));
  double const bytes = items(c) * steps_of(live) * std::min(c.spills->loads / (steps_together + 1), values);
  double const of_a_byte = c.spills->cached ? seconds_of_a_byte_stored(c) : 2 * seconds_of_a_byte_of_memory(c);
  return of_a_byte == 0 ? Model{} : slower_of(model, {bytes * of_a_byte, c.spills->cached ? "stores" : "spills"});
}

/// For each problem: each variant at its best team, against the best of all.
std::vector<std::string> findings(std::vector<Result> const& results) {
  std::map<std::string, std::vector<Result const*>> problems;
  std::vector<std::string> order;
  for (Result const& result : results) {
    if (result.outcome != Outcome::passed) continue;
    std::string const problem = result.planned->problem();
    if (problems.count(problem) == 0) order.push_back(problem);
    auto& best = problems[problem];
    auto const same = std::find_if(best.begin(), best.end(), [&](Result const* other) {
      return other->planned->variant == result.planned->variant;
    });
    if (same == best.end())
      best.push_back(&result);
    else if (result.rate() > (*same)->rate())
      *same = &result;
  }
  std::vector<std::string> sentences;
  for (std::string const& problem : order) {
    auto& best = problems[problem];
    std::stable_sort(best.begin(), best.end(), [](auto const* a, auto const* b) { return a->rate() > b->rate(); });
    std::vector<std::string> places;
    for (Result const* result : best) {
      places.push_back(
          fmt::format("{} {:.3g}x", result->planned->variant->name, result->rate() / best.front()->rate()));
      if (!result->kernels.empty())
        places.back() += fmt::format(" (team {}, {} registers, occupancy {:.2f})", result->planned->integer("team"),
                                     result->kernels.front().registers, result->kernels.front().occupancy);
    }
    sentences.push_back(
        fmt::format("{}: of {:.0f} GFLOP/s {}", problem, best.front()->rate() / 1e9, fmt::join(places, ", ")));
  }
  return sentences;
}

}  // namespace

Pattern pattern() {
  Pattern p;
  p.name = "occupancy";
  p.meaning = "live values per thread: what do registers, spilling and resident threads cost each other?";
  p.types = {Type::f32, Type::f64};
  p.figure = Figure::compute;
  p.formula =
      "time of as many multiply-adds in registers alone; local_array: or of a store of local memory for each, "
      "which L1 passes on to L2, at the rate of the card's bandwidth/copy, if longer; what is spilled: as many stores "
      "as a fifth of the compiler's spill loads in each step and no more than all values, or, where the frames of all "
      "resident threads are larger "
      "than L2, twice as many bytes at the rate of a copy in memory. On hosts no less than the chain "
      "of "
      "each item by the card's steps: unrolled 2^15/live of multiply_add, local_array 2^15 of chained";
  p.keys = {
      {"live", KeyKind::integer, "32", choices_of(LiveCounts{}), "values that a thread keeps"},
      {"team", KeyKind::integer, "256", choices_of(TeamSizes{}), "threads of a team (block); 1 on a host"},
  };
  p.variants = {
      portable("unrolled", "all indices known: values in registers", kernel<Unrolled>)
          .with_keys({"team"})
          .with_model(unrolled_model),
      portable("local_array", "indexed at run time: values in local memory", kernel<LocalArray>)
          .with_keys({"team"})
          .with_model(local_model),
      portable("spill", "launch bounds for all threads that fit, 32 registers each on NVIDIA GPUs; the rest spilled",
               kernel<Spill>)
          .with_keys({"team"})
          .with_model(spilling_model)
          .only_on_devices(no_bounds),
      portable("desired", "DesiredOccupancy(50): no more than half of the threads resident", kernel<Desired>)
          .with_keys({"team"})
          .only_on_devices(no_bounds),
      native("native_unrolled", "as unrolled", raw<&Launchers::unrolled>).twin_of("unrolled").with_keys({"team"}),
      native("native_maxnreg", "__maxnreg__(32): as few registers as spill has, by number", raw<&Launchers::maxnreg>)
          .twin_of("spill")
          .with_keys({"team"})
          .with_model(spilling_model),
      native("native_shared_spill", "32 registers, the rest spilled to shared memory first",
             raw<&Launchers::shared_spill>)
          .with_keys({"team"})
          .with_model(spilling_model),
  };
  p.on_hosts =
      "a core's registers: few live values leave its arithmetic waiting, values indexed at run time cannot be vectors; "
      "teams, spilling by bounds and occupancy have no meaning";
  p.needs = needs;
  p.work = work;
  p.requested = each_byte_once;  // what is spilled lies in local memory
  p.model = fma_model;
  p.findings = findings;
  return p;
}

}  // namespace tilestride::occupancy
