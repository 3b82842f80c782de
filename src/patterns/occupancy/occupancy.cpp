// SPDX-License-Identifier: BSD-3-Clause
#include "patterns/occupancy/occupancy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "harness/result.hpp"
#include "patterns/occupancy/desired.hpp"
#include "patterns/occupancy/local_array.hpp"
#include "patterns/occupancy/spill.hpp"
#include "patterns/patterns.hpp"

namespace tilestride {
namespace {

constexpr Prepare native = prepare_native<Occupancy, float, double>;

template <class Kernel, class Exec, class T, int Live>
Trial prepare_body(Bench& bench, Case const& c) {
  auto const problem = problem_on<Occupancy<Exec, T>>(bench, c);
  TeamShape const shape = team_shape<Exec>(static_cast<int>(c.integer("team")), 1, 0);
  if (int const largest = largest_team<Live, Kernel>(*problem); shape.threads > largest)
    return skipped(fmt::format("a team of {} threads needs more registers than there are; the largest has {}",
                               shape.threads, largest));
  Trial trial =
      trial_over<Kernel>(problem, [problem, threads = shape.threads] { launch<Live, Kernel>(*problem, threads); });
  note_shape(trial, shape);
  return trial;
}

constexpr char const* no_bounds = "a host's thread has all registers of its core: there are none to share out";

template <class Kernel>
Trial kernel(Bench& bench, Case const& c) {
  return with_space(c.space, [&](auto space) {
    using Exec = typename decltype(space)::type;
    if constexpr (is_host<Exec> && !Kernel::on_hosts) {
      return skipped(no_bounds);
    } else {
      return with_type<float, double>(c.type, [&](auto type) {
        return with_int(LiveCounts{}, c.integer("live"), [&](auto live) {
          return prepare_body<Kernel, Exec, typename decltype(type)::type, decltype(live)::value>(bench, c);
        });
      });
    }
  });
}

double items(Case const& c) { return static_cast<double>(occupancy_items(c)); }

double needs(Case const& c) { return 2 * items(c) * static_cast<double>(size_of(c.type)); }

Work work(Case const& c) {
  int const live = static_cast<int>(c.integer("live"));
  return {needs(c), 2 * items(c) * live * occupancy_steps(live)};
}

Model fma_model(Case const& c, Ceilings const& ceilings) {
  if (ceilings.fma == 0) return {};
  return {work(c).flops / ceilings.fma, "fma"};
}

/// A load and a store for every multiply-add: a wavefront each for 32 threads with words of 4 bytes, two for 8 bytes.
Model local_model(Case const& c, Ceilings const& ceilings) {
  Model model = fma_model(c, ceilings);
  if (model.seconds == 0 || ceilings.scratch == 0) return model;
  double const wavefronts = work(c).flops / 2 / 32 * 2 * static_cast<double>(size_of(c.type)) / 4;
  if (double const t = wavefronts / ceilings.scratch; t > model.seconds) model = {t, "local"};
  return model;
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

Pattern occupancy_pattern() {
  std::vector<std::string> const keys{"team"};
  Pattern pattern{
      "occupancy",
      "live values in every thread: what do registers, spilling and resident threads cost each other?",
      {Type::f32, Type::f64},
      Figure::compute,
      "time of as many multiply-adds in registers alone; local_array: or of a load and a store of local memory for "
      "each, at a wavefront per cycle and multiprocessor, if longer (all of it in L1)",
      {
          {"live", KeyKind::integer, "32", choices_of(LiveCounts{}), "values that a thread keeps"},
          {"team", KeyKind::integer, "256", choices_of(TeamSizes{}), "threads of a team (block); 1 on a host"},
      },
      {
          {"unrolled", "all indices known: values in registers", Role::solution, kernel<Unrolled>, keys},
          {"local_array", "indexed at run time: values in local memory", Role::solution, kernel<LocalArray>, keys,
           local_model},
          Variant{"spill", "LaunchBounds<1024, 2>: 32 registers, the rest spilled", Role::solution, kernel<Spill>, keys}
              .only_on_devices(no_bounds),
          Variant{"desired", "DesiredOccupancy(50): no more than half of the threads resident", Role::solution,
                  kernel<Desired>, keys}
              .only_on_devices(no_bounds),
          Variant{"native_unrolled", "as unrolled", Role::native, native, keys}.twin_of("unrolled"),
          Variant{"native_maxnreg", "__maxnreg__(32): the registers of spill, asked for by number", Role::native,
                  native, keys}
              .twin_of("spill"),
          {"native_shared_spill", "32 registers, the rest spilled to shared memory first", Role::native, native, keys},
      },
      nullptr,
      needs,
      work,
      fma_model,
      findings,
  };
  pattern.on_hosts =
      "a core's registers: few live values leave its arithmetic waiting, values indexed at run time cannot be vectors; "
      "teams, spilling by bounds and occupancy have no meaning";
  return pattern;
}

}  // namespace tilestride
