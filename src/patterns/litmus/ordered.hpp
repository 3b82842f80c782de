// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Litmus tests with Kokkos' atomics and fences. Kokkos does not promise that teams run at the same time; here they do,
// since a GPU has room for all that take part, and a side whose partner does not start stops after a limited time.

#include "patterns/litmus/problem.hpp"

namespace tilestride::litmus {

struct KokkosAccess {
  static KOKKOS_FUNCTION int load(int* word) { return Kokkos::atomic_load(word); }
  static KOKKOS_FUNCTION void store(int* word, int v) { Kokkos::atomic_store(word, v); }
};

struct KokkosFence {
  static KOKKOS_FUNCTION void stores() { Kokkos::store_fence(); }
  static KOKKOS_FUNCTION void loads() { Kokkos::load_fence(); }
  static KOKKOS_FUNCTION void all() { Kokkos::memory_fence(); }
};

template <class Ordering, class Exec>
void launch(Litmus<Exec> const& p, Run const& run) {
  using Policy = Kokkos::TeamPolicy<Exec>;
  using Member = typename Policy::member_type;
  Kokkos::parallel_for(
      "tilestride::litmus::ordered", Policy(p.exec, p.grid, threads_of(Litmus<Exec>::warp)),
      KOKKOS_LAMBDA(Member const& team) {
        play_thread<Ordering, Litmus<Exec>::warp>(run, team.league_rank(), team.team_rank());
      });
}

template <class Ordering, class Exec>
Trial prepare_as(Bench& bench, Case const& c) {
  return make_trial<Exec>(bench, c, launch<Ordering, Exec>, play_as_host<Ordering, Litmus<Exec>::warp>);
}

template <class Exec>
Trial prepare_ordered(Bench& bench, Case const& c) {
  std::string const& form = c.choice("form");
  if (form == "plain") return prepare_as<FencedOrdering<PlainAccess, NoFence>, Exec>(bench, c);
  if (form == "volatile") return prepare_as<FencedOrdering<VolatileAccess, NoFence>, Exec>(bench, c);
  if (form == "atomic")
    return skipped(SkipReason::not_in_kokkos,
                   "not available in Kokkos: an atomic access that orders others; its own order nothing");
  if (scope_of(c) == Scope::system)
    return skipped(SkipReason::not_in_kokkos,
                   "not available in Kokkos: a fence or an atomic access that holds beyond the device");
  if (form == "relaxed") return prepare_as<FencedOrdering<KokkosAccess, NoFence>, Exec>(bench, c);
  return prepare_as<FencedOrdering<VolatileAccess, KokkosFence>, Exec>(bench, c);
}

}  // namespace tilestride::litmus
