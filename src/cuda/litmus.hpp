// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What the litmus tests in Kokkos' and in CUDA's words share: their memory, the host's side where it is one of the two,
// and the verdict.

#include <fmt/format.h>

#include "cuda/check.hpp"
#include "cuda/wall_clock.hpp"
#include "harness/prepare.hpp"
#include "patterns/litmus/tester.hpp"

namespace tilestride::cuda {

/// Memory of the device, or of the host where both work on it.
template <class T>
std::shared_ptr<T> litmus_memory(bool on_host, std::size_t n) {
  if (!on_host) {
    Kokkos::View<T*, Kokkos::CudaSpace> const view("tilestride::litmus::device", n);
    return {view.data(), [view](T*) {}};
  }
  Kokkos::View<T*, Kokkos::SharedHostPinnedSpace> const view("tilestride::litmus::pinned", n);
  return {view.data(), [view](T*) {}};
}

struct Litmus {
  using Exec = Kokkos::Cuda;

  Exec exec;
  LitmusRun run;  ///< the next one, but for its tallies
  int grid;       ///< blocks
  std::size_t words, testers;
  std::shared_ptr<int> cells;
  std::shared_ptr<LitmusToken> tokens, finished;
  std::shared_ptr<int> hammered;

  Litmus(Exec const& instance, Case const& c);
  /// As if there had been no run.
  void reset();
  std::vector<Yardstick> yardsticks() const { return {}; }
  /// Every word: the last version in the locations, zero between them.
  Check check_words() const;
};

inline LitmusScope litmus_scope(Case const& c) {
  std::string const& scope = c.choice("scope");
  return scope == "block" ? LitmusScope::block : scope == "device" ? LitmusScope::device : LitmusScope::system;
}

/// Does the form promise that no outcome is weak?
inline bool is_ordered(Case const& c) { return c.choice("form") == "fenced" || c.choice("form") == "atomic"; }

/// The host plays with all lanes of two warps, one after the other. It gives up, too, when nobody comes.
template <class Words>
void play_as_host(LitmusRun const& run, LitmusTally& tally) {
  std::vector<LitmusTester> testers;
  for (int pair = 0; pair < run.pairs; ++pair) testers.emplace_back(run, pair, pair < litmus_lanes ? 1 : 0);
  std::uint64_t random = static_cast<std::uint64_t>(run.rounds_before);
  double const patience = monotonic_now() + 5 + 1e-4 * run.rounds;
  for (int round = 0; round <= run.rounds; ++round) {
    long long const meeting = run.rounds_before + run.number + round;
    for (LitmusTester& tester : testers) tester.arrive(meeting);
    for (LitmusTester& tester : testers) {
      for (int look = 1; !tester.has_met(meeting, round > 0); ++look) {
        if (look % 4096 != 0 || monotonic_now() < patience) continue;
        tally.lost += run.rounds - round + 1;
        return;
      }
    }
    if (round == run.rounds) break;
    random = wait_a_while(random, litmus_max_host_delay);
    for (LitmusTester& tester : testers) tester.play<Words>(run.cells, run.rounds_before + round);
  }
  for (LitmusTester const& tester : testers) tally += tester.tally;
}

using LaunchLitmus = std::function<void(Litmus const&, LitmusRun const&)>;
using LitmusHost = void (*)(LitmusRun const&, LitmusTally&);

/// A trial that launches `launch`; `host` is the host's side of it.
Trial litmus_trial(Bench& bench, Case const& c, LaunchLitmus const& launch, LitmusHost host);

}  // namespace tilestride::cuda
