// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// How a row of a pattern's table becomes a trial. A problem (Transpose<Exec, T>) owns the buffers that its variants
// share; a kernel is a struct with
//
//   template <class Exec, class T> static void run(Problem<Exec, T> const&);
//
// and, where it runs in teams, `template <class Exec, class T> static TeamShape shape(Problem<Exec, T> const&)`: a
// shape that the device cannot launch is then skipped with its reason. A tiled kernel has its tile as a template
// argument, the first one of `run` and `shape`, and lists its tiles (`shape` needs no problem then):
//
//   using Tiles = std::integer_sequence<int, …>;
//   template <int Tile, class Exec, class T> static void run(Problem<Exec, T> const&);
//   template <int Tile, class Exec, class T> static TeamShape shape();
//
// A blocked kernel has named configurations, which differ between spaces and types, and a rule that chooses one for
// block = auto; prepare_blocked makes its trials:
//
//   template <bool on_host, class T> using Blocks = std::tuple<…>;  // each with `static std::string name()`
//   struct Choice { std::string block; … };
//   template <class Exec, class T> static Choice choose(Problem<Exec, T> const&, Device const&, Case const&);
//   template <class Block, class Exec, class T> static TeamShape shape();
//   template <class Block, class Exec, class T> static void run(Problem<Exec, T> const&, Choice const&);
//
// A kernel whose output is not the problem's output has its own `template <class Exec, class T> static Check
// verify(Problem<Exec, T> const&)`.
//
// A problem has `Memory memory`, which owns its buffers (memory.hpp), and `Check verify() const`. It may have a probe,
// which asks the same kernel for something else, whose result shows what the usual one cannot:
//
//   template <class Call> Check probe(Call const&, Case const&) const;          // of every kernel
//   template <class Call> Check probe_scratch(Call const&, Case const&) const;  // of those with `through_scratch`
//
// call(problem) runs the kernel once over the problem that it is given, and waits.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model/units.hpp"
#include "portable/native.hpp"
#include "portable/spaces.hpp"

namespace tilestride {

/// The shape of one team: threads x vector lanes, and bytes of scratch level 0.
struct TeamShape {
  int threads = 1;
  int lanes = 1;
  std::size_t scratch = 0;
};

/// On a device the given shape; on a host one thread, vectorized by the compiler.
template <class Exec>
constexpr TeamShape team_shape(int threads, int lanes, std::size_t scratch) {
  if (is_host<Exec>) return {1, 1, scratch};
  return {threads, lanes, scratch};
}

/// Why a team of this shape cannot be launched; checked before the launch, since Kokkos would abort or hang.
template <class Exec>
std::optional<Skip> why_not(TeamShape const& shape, Device const& device) {
  if (is_host<Exec>) return {};
  if (device.team_scratch > 0 && static_cast<double>(shape.scratch) > device.team_scratch)
    return Skip{SkipReason::limit,
                fmt::format("needs {} of team scratch; a team has {}", short_bytes(static_cast<double>(shape.scratch)),
                            short_bytes(device.team_scratch))};
  if (device.largest_team > 0 && shape.threads * shape.lanes > device.largest_team)
    return Skip{SkipReason::limit, fmt::format("needs teams of {} threads; the largest has {}",
                                               shape.threads * shape.lanes, device.largest_team)};
  return {};
}

/// The problem of this type and bench, created for its first variant. Yardsticks are those of the first one. That of a
/// collective pattern also takes the ranks.
template <class Problem>
std::shared_ptr<Problem> problem_on(Bench& bench, Case const& c) {
  std::shared_ptr<void>& made = bench.problems[typeid(Problem)];
  if (made == nullptr) {
    auto const& exec = *std::static_pointer_cast<typename Problem::Exec>(bench.exec);
    std::shared_ptr<Problem> problem;
    if constexpr (std::is_constructible_v<Problem, typename Problem::Exec const&, Case const&, Ranks&>)
      problem = std::make_shared<Problem>(exec, c, *bench.ranks);
    else
      problem = std::make_shared<Problem>(exec, c);
    if (bench.problems.size() == 1) bench.yardsticks = problem->yardsticks();
    made = problem;
  }
  return std::static_pointer_cast<Problem>(made);
}

template <class Kernel, class Problem, class = void>
constexpr bool verifies_itself = false;
template <class Kernel, class Problem>
constexpr bool verifies_itself<Kernel, Problem, std::void_t<decltype(Kernel::verify(std::declval<Problem const&>()))>> =
    true;

/// A trial of `run` over the buffers of a problem.
template <class Problem>
Trial trial_of(std::shared_ptr<Problem> const& problem, std::function<void()> run) {
  Trial trial;
  trial.run = std::move(run);
  trial.verify = [problem] { return problem->verify(); };
  trial.buffers = problem->memory.buffers();
  return trial;
}

template <class Problem>
using CallOn = std::function<void(Problem const&)>;

template <class Problem, class = void>
constexpr bool has_probe = false;
template <class Problem>
constexpr bool has_probe<Problem, std::void_t<decltype(std::declval<Problem const&>().probe(
                                      std::declval<CallOn<Problem>>(), std::declval<Case const&>()))>> = true;

template <class Problem, class = void>
constexpr bool has_probe_of_scratch = false;
template <class Problem>
constexpr bool has_probe_of_scratch<Problem, std::void_t<decltype(std::declval<Problem const&>().probe_scratch(
                                                 std::declval<CallOn<Problem>>(), std::declval<Case const&>()))>> =
    true;

/// The probe that a problem has for all of its kernels, or for those that say that they go through scratch. `run`
/// launches the kernel over the problem that it is given: this one, or one that differs from it in what it asks for.
template <class Problem>
std::function<Check()> probe_of(std::shared_ptr<Problem> const& problem, Case const& c,
                                [[maybe_unused]] bool through_scratch, CallOn<Problem> const& run) {
  [[maybe_unused]] auto const call = [run](Problem const& p) {
    run(p);
    p.exec.fence("tilestride::probe");
  };
  if constexpr (has_probe<Problem>) return [problem, c, call] { return problem->probe(CallOn<Problem>(call), c); };
  if constexpr (has_probe_of_scratch<Problem>) {
    if (through_scratch) return [problem, c, call] { return problem->probe_scratch(CallOn<Problem>(call), c); };
  }
  return {};
}

template <class Kernel, class = void>
constexpr bool through_scratch = false;
template <class Kernel>
constexpr bool through_scratch<Kernel, std::void_t<decltype(Kernel::through_scratch)>> = Kernel::through_scratch;

/// A trial of a portable kernel.
template <class Kernel, class Problem, class Run>
Trial trial_over(std::shared_ptr<Problem> const& problem, Case const& c, Run const& run) {
  Trial trial = trial_of(problem, [problem, run] { run(*problem); });
  if constexpr (verifies_itself<Kernel, Problem>) trial.verify = [problem] { return Kernel::verify(*problem); };
  trial.probe = probe_of(problem, c, through_scratch<Kernel>, CallOn<Problem>(run));
  return trial;
}

template <class Kernel, class = void>
constexpr bool has_tiles = false;
template <class Kernel>
constexpr bool has_tiles<Kernel, std::void_t<typename Kernel::Tiles>> = true;

template <class Kernel, class Problem, class = void>
constexpr bool has_shape = false;
template <class Kernel, class Problem>
constexpr bool has_shape<Kernel, Problem, std::void_t<decltype(Kernel::shape(std::declval<Problem const&>()))>> = true;

inline void note_shape(Trial& trial, TeamShape const& shape) {
  trial.notes["team"] = fmt::format("{} threads x {} lanes", shape.threads, shape.lanes);
  trial.notes["scratch"] = fmt::format("{} B", shape.scratch);
}

template <class Problem, class Kernel>
Trial prepare_on(Bench& bench, Case const& c) {
  using Exec = typename Problem::Exec;
  if constexpr (has_tiles<Kernel>) {
    return with_int(typename Kernel::Tiles{}, c.integer("tile"), [&](auto tile) {
      constexpr int Tile = decltype(tile)::value;
      TeamShape const shape = Kernel::template shape<Tile, Exec, typename Problem::Element>();
      if (auto const skip = why_not<Exec>(shape, bench.device)) return skipped(skip->reason, skip->words);
      auto const problem = problem_on<Problem>(bench, c);
      Trial trial = trial_over<Kernel>(problem, c, [](Problem const& p) { Kernel::template run<Tile>(p); });
      note_shape(trial, shape);
      return trial;
    });
  } else {
    auto const problem = problem_on<Problem>(bench, c);
    Trial trial = trial_over<Kernel>(problem, c, [](Problem const& p) { Kernel::run(p); });
    if constexpr (has_shape<Kernel, Problem>) {
      TeamShape const shape = Kernel::shape(*problem);
      if (auto const skip = why_not<Exec>(shape, bench.device)) return skipped(skip->reason, skip->words);
      note_shape(trial, shape);
    }
    return trial;
  }
}

/// A portable variant: Kernel over Problem, on every space and for each of Ts.
template <template <class, class> class Problem, class Kernel, class... Ts>
Trial prepare(Bench& bench, Case const& c) {
  return with_space(c.space, [&](auto space) {
    return with_type<Ts...>(c.type, [&](auto type) {
      return prepare_on<Problem<typename decltype(space)::type, typename decltype(type)::type>, Kernel>(bench, c);
    });
  });
}

template <class... Blocks>
std::vector<std::string> names_of(Tag<std::tuple<Blocks...>>) {
  return {Blocks::name()...};
}

/// body(Tag<Block>) for the block of that name, or a skip that lists the available blocks.
template <class... Blocks, class Body>
Trial with_block(Tag<std::tuple<Blocks...>> blocks, std::string const& name, Body const& body) {
  Trial (*chosen)(Body const&) = nullptr;
  ((Blocks::name() == name ? void(chosen = [](Body const& b) { return b(Tag<Blocks>{}); }) : void()), ...);
  if (chosen != nullptr) return chosen(body);
  return skipped(SkipReason::not_applicable, fmt::format("there is no block {} for this space and type; there are: {}",
                                                         name, fmt::join(names_of(blocks), ", ")));
}

template <class Problem, class Kernel>
Trial prepare_blocked_on(Bench& bench, Case const& c) {
  using Exec = typename Problem::Exec;
  using T = typename Problem::Element;
  auto const problem = problem_on<Problem>(bench, c);
  auto const choice = Kernel::choose(*problem, bench.device, c);
  return with_block(Tag<typename Kernel::template Blocks<is_host<Exec>, T>>{}, choice.block, [&](auto block) {
    using Block = typename decltype(block)::type;
    TeamShape const shape = Kernel::template shape<Block, Exec, T>();
    if (auto const skip = why_not<Exec>(shape, bench.device)) return skipped(skip->reason, skip->words);
    Trial trial =
        trial_over<Kernel>(problem, c, [choice](Problem const& p) { Kernel::template run<Block>(p, choice); });
    note_shape(trial, shape);
    if (c.find("block") != nullptr) trial.notes["block"] = choice.block;
    return trial;
  });
}

/// A blocked kernel with separate sources for devices and hosts.
template <class OnDevice, class OnHost>
struct ByKind {
  template <class Exec>
  using On = std::conditional_t<is_host<Exec>, OnHost, OnDevice>;
  template <bool on_host, class T>
  using Blocks = typename std::conditional_t<on_host, OnHost, OnDevice>::template Blocks<on_host, T>;

  template <class Problem>
  static auto choose(Problem const& problem, Device const& device, Case const& c) {
    return On<typename Problem::Exec>::choose(problem, device, c);
  }
  template <class Block, class Exec, class T>
  static constexpr TeamShape shape() {
    return On<Exec>::template shape<Block, Exec, T>();
  }
  template <class Block, class Problem, class Choice>
  static void run(Problem const& problem, Choice const& choice) {
    On<typename Problem::Exec>::template run<Block>(problem, choice);
  }
};

/// A portable variant with named configurations, chosen by the key `block` or by keys of its own.
template <template <class, class> class Problem, class Kernel, class... Ts>
Trial prepare_blocked(Bench& bench, Case const& c) {
  return with_space(c.space, [&](auto space) {
    return with_type<Ts...>(c.type, [&](auto type) {
      return prepare_blocked_on<Problem<typename decltype(space)::type, typename decltype(type)::type>, Kernel>(bench,
                                                                                                                c);
    });
  });
}

/// The key `block` of a blocked kernel: the blocks of all spaces and of all Ts, built in or not, so that a deck has the
/// same meaning everywhere.
template <class Kernel, class... Ts>
Key block_key(std::string meaning) {
  std::vector<std::string> names{"auto"};
  auto const add = [&](auto blocks) {
    for (std::string const& name : names_of(blocks)) {
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  };
  (add(Tag<typename Kernel::template Blocks<false, Ts>>{}), ...);
  (add(Tag<typename Kernel::template Blocks<true, Ts>>{}), ...);
  return {"block", KeyKind::choice, "auto", names, std::move(meaning)};
}

/// The launcher named by a row of the table, from the device's or the host's table; null when it is not built in.
template <auto Member, class Exec>
auto find_launcher() {
  using Table = typename MemberOf<decltype(Member)>::Class;
  return (is_host<Exec> ? Table::on_host() : Table::on_device()).*Member;
}

template <class Arguments, class Problem>
Trial launched_natively(Launcher<Arguments> launcher, std::shared_ptr<Problem> const& problem, Case const& c,
                        Arguments const& arguments) {
  auto const& exec = problem->exec;
  constexpr bool on_host = is_host<typename Problem::Exec>;
  NativeContext const context{&exec, c.type, static_cast<int>(on_host ? exec.concurrency() : 1)};
  NativeKernel const kernel = launcher(context, arguments);
  if (kernel.skip) return skipped(kernel.skip->reason, kernel.skip->words);
  Trial trial = trial_of(problem, kernel.run);
  if (kernel.verify) trial.verify = kernel.verify;
  auto const run = [launcher, context, c](Problem const& p) { launcher(context, p.native_arguments(c)).run(); };
  if (auto const probe = probe_of(problem, c, kernel.through_scratch, CallOn<Problem>(run))) {
    trial.probe = [probe, launcher, context, arguments] {
      Check const check = probe();
      launcher(context, arguments);  // once more, since it uploads what lies in constant memory
      return check;
    };
  }
  trial.notes = kernel.notes;
  trial.measure = kernel.measure;
  return trial;
}

/// Calls prepare(space, launcher) for the case's space and the launcher that is built in for it.
template <auto Member, class Prepare>
Trial with_launcher(Case const& c, Prepare const& prepare) {
  return with_space(c.space, [&](auto space) {
    auto const launcher = find_launcher<Member, typename decltype(space)::type>();
    return launcher == nullptr ? not_built_in(c) : prepare(space, launcher);
  });
}

/// A native or library variant. Its arguments are Problem::native_arguments(case); Member points to its launcher in the
/// pattern's table.
template <template <class, class> class Problem, auto Member, class... Ts>
Trial prepare_native(Bench& bench, Case const& c) {
  return with_launcher<Member>(c, [&](auto space, auto launcher) {
    return with_type<Ts...>(c.type, [&](auto type) {
      using Exec = typename decltype(space)::type;
      auto const problem = problem_on<Problem<Exec, typename decltype(type)::type>>(bench, c);
      return launched_natively(launcher, problem, c, problem->native_arguments(c));
    });
  });
}

}  // namespace tilestride
