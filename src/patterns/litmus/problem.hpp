// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What the litmus tests in Kokkos and in raw CUDA share: their memory, the host's side where it is one of the two, and
// the verdict. For devices alone: on a host the teams of a league need not run at the same time.

#include <fmt/format.h>

#include <functional>
#include <memory>
#include <vector>

#include "patterns/litmus/tester.hpp"
#include "portable/host_device.hpp"

namespace tilestride::litmus {

inline Scope scope_of(Case const& c) {
  std::string const& scope = c.choice("scope");
  return scope == "block" ? Scope::block : scope == "device" ? Scope::device : Scope::system;
}

/// Does the form promise that no outcome is weak?
inline bool is_ordered(Case const& c) { return c.choice("form") == "fenced" || c.choice("form") == "atomic"; }

template <class Space>
struct Litmus {
  using Exec = Space;
  static constexpr int warp = Traits<Exec>::warp;

  Exec exec;
  Run run;   ///< the next one, but for its tallies
  int grid;  ///< blocks
  std::size_t words, testers;
  std::shared_ptr<int> cells;
  std::shared_ptr<Token> tokens, finished;
  std::shared_ptr<int> hammered;

  Litmus(Exec const& instance, Case const& c) : exec(instance), run{}, words(0), testers(0) {
    run.scope = scope_of(c);
    run.store_buffering = c.choice("test") == "sb";
    run.rounds = static_cast<int>(c.integer("iterations"));
    run.blocks = blocks_in(run.scope);
    run.pairs = pairs_in(run.scope, warp);
    grid = run.blocks + static_cast<int>(c.integer("stress"));
    words = static_cast<std::size_t>(2 * run.pairs * slots * spacing);
    testers = static_cast<std::size_t>(run.blocks * threads_of(warp));
    cells = memory<int>(with_host(), words);
    tokens = memory<Token>(with_host(), static_cast<std::size_t>(2 * run.pairs));
    finished = memory<Token>(false, testers);
    hammered = memory<int>(false, hammer_words);
    run.cells = cells.get();
    run.tokens = tokens.get();
    run.finished = finished.get();
    run.hammered = hammered.get();
    reset();
  }

  /// Of the device, or of the host where both work on it.
  template <class T>
  static std::shared_ptr<T> memory(bool on_host, std::size_t n) {
    if (!on_host) {
      DeviceArray<Exec, T> const array("tilestride::litmus::device", n);
      return {array.data(), [array](T*) {}};
    }
    PinnedArray<Exec, T> const array("tilestride::litmus::pinned", n);
    return {array.data(), [array](T*) {}};
  }

  bool with_host() const { return run.scope == Scope::system; }

  /// As if there had been no run.
  void reset() {
    fill(exec, run.cells, static_cast<std::int64_t>(words), Constant<int>{0});
    fill(exec, run.tokens, 2 * run.pairs, Constant<Token>{0});
    fill(exec, run.finished, static_cast<std::int64_t>(testers), Constant<Token>{0});
    exec.fence("tilestride::litmus::reset");
    run.number = 1;
    run.rounds_before = 0;
  }

  std::vector<Yardstick> yardsticks() const { return {}; }

  /// The cells, copied to the host.
  std::vector<int> found_words() const {
    exec.fence("tilestride::litmus::found_words");
    if (with_host()) return {run.cells, run.cells + words};
    std::vector<int> found(words);
    Kokkos::deep_copy(Window<Kokkos::HostSpace, int>(found.data(), words),
                      Window<typename Exec::memory_space, int const>(run.cells, words));
    return found;
  }

  /// Every word: the last version in the locations, zero between them.
  Check check_words() const {
    std::vector<int> const found = found_words();
    std::vector<int> expected(words, 0);
    for (int pair = 0; pair < run.pairs; ++pair) {
      for (int slot = 0; slot < slots; ++slot) {
        for (int which = 0; which < 2; ++which)
          expected[static_cast<std::size_t>(place_of(run.pairs, pair, slot, which))] =
              static_cast<int>(last_version(slot, run.rounds_before));
      }
    }
    Check check{true, static_cast<double>(words), 0, "every word exactly"};
    for (std::size_t i = 0; i < words; ++i) {
      if (found[i] == expected[i]) continue;
      if (check.passed) check.detail += fmt::format("; word {} is {}, expected {}", i, found[i], expected[i]);
      check.passed = false;
      ++check.wrong;
    }
    return check;
  }
};

/// The host plays with all lanes of two warps, one after the other. It gives up, too, when the device does not come.
template <class Ordering, int Warp>
void play_as_host(Run const& run, Tally& tally) {
  std::vector<Tester> testers;
  for (int pair = 0; pair < run.pairs; ++pair) testers.emplace_back(run, pair, pair < Warp ? 1 : 0);
  std::uint64_t random = static_cast<std::uint64_t>(run.rounds_before);
  double const deadline = monotonic_now() + 5 + 1e-4 * run.rounds;
  for (int round = 0; round <= run.rounds; ++round) {
    long long const meeting = run.rounds_before + run.number + round;
    for (Tester& tester : testers) tester.arrive(meeting);
    for (Tester& tester : testers) {
      for (int look = 1; !tester.has_met(meeting, round > 0); ++look) {
        if (look % 4096 != 0 || monotonic_now() < deadline) continue;
        tally.lost += run.rounds - round + 1;
        return;
      }
    }
    if (round == run.rounds) break;
    random = wait_a_while(random, max_host_delay);
    for (Tester& tester : testers) tester.play<Ordering>(run.cells, run.rounds_before + round);
  }
  for (Tester const& tester : testers) tally += tester.tally;
}

/// Of all runs of a trial, warm-up included: threads of the device, and the host's side.
template <class Exec>
struct Tallies {
  DeviceArray<Exec, Tally> device;
  Tally host{};

  Tally sum() const {
    auto const threads = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), device);
    Tally total = host;
    for (std::size_t i = 0; i < threads.size(); ++i) total += threads(i);
    return total;
  }
};

template <class Exec>
using Launch = void (*)(Litmus<Exec> const&, Run const&);
using PlayAsHost = void (*)(Run const&, Tally&);

/// A trial that launches `launch`; `host` is the host's side of it.
template <class Exec>
Trial make_trial(Bench& bench, Case const& c, Launch<Exec> launch, PlayAsHost host) {
  auto const p = problem_on<Litmus<Exec>>(bench, c);
  bool const ordered = is_ordered(c);
  auto const tallies = std::make_shared<Tallies<Exec>>();
  tallies->device = DeviceArray<Exec, Tally>("tilestride::litmus::tallies", p->testers);
  Trial trial;
  trial.before = [p] { p->reset(); };
  trial.buffers = std::make_shared<Buffers>(Buffers{
      {"cells", Buffer::Role::output, p->cells.get(), static_cast<double>(p->words) * sizeof(int), trial.before}});
  trial.run = [p, tallies, launch, host] {
    Run run = p->run;
    run.tallies = tallies->device.data();
    ++p->run.number;
    p->run.rounds_before += run.rounds;
    launch(*p, run);
    if (!p->with_host()) return;
    host(run, tallies->host);
    p->exec.fence("tilestride::litmus::run");
  };
  if (p->with_host()) trial.clock = wall_clock(p->exec);
  trial.measure = [tallies] {
    Tally const sum = tallies->sum();
    return Quantities{{"tries", static_cast<double>(sum.tries)},
                      {"seen", static_cast<double>(sum.seen)},
                      {"weak outcomes", static_cast<double>(sum.weak)}};
  };
  trial.verify = [p, tallies, ordered] {
    Check check = p->check_words();
    Tally const sum = tallies->sum();
    check.elements += static_cast<double>(sum.tries);
    if (sum.tries == 0 || sum.lost > 0) {
      check.passed = false;
      check.detail += fmt::format("; {} rounds in which one side did not come", sum.lost);
    }
    if (ordered) check.detail += fmt::format("; no weak outcome in {} tries is allowed", sum.tries);
    if (ordered && sum.weak > 0) {
      check.passed = false;
      check.wrong += static_cast<double>(sum.weak);
      check.detail += fmt::format(", but there were {}", sum.weak);
    }
    return check;
  };
  return trial;
}

}  // namespace tilestride::litmus
