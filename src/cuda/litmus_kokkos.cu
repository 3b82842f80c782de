// SPDX-License-Identifier: BSD-3-Clause
// Litmus tests in Kokkos' words. Kokkos promises nothing of teams that run at the same time; here they do, since a GPU
// has room for all that take part, and a side whose partner never comes gives up.
#include "cuda/litmus.hpp"
#include "cuda/native.hpp"

namespace tilestride::cuda {
namespace {

struct KokkosAtomics {
  static KOKKOS_FUNCTION int load(int* word) { return Kokkos::atomic_load(word); }
  static KOKKOS_FUNCTION void store(int* word, int v) { Kokkos::atomic_store(word, v); }
};

struct KokkosFence {
  static KOKKOS_FUNCTION void stores() { Kokkos::store_fence(); }
  static KOKKOS_FUNCTION void loads() { Kokkos::load_fence(); }
  static KOKKOS_FUNCTION void all() { Kokkos::memory_fence(); }
};

template <class Words>
void launch(Litmus const& p, LitmusRun const& run) {
  using Policy = Kokkos::TeamPolicy<Kokkos::Cuda>;
  Kokkos::parallel_for(
      "tilestride::litmus::kokkos", Policy(p.exec, p.grid, litmus_threads),
      KOKKOS_LAMBDA(Policy::member_type const& team) {
        litmus_thread<Words>(run, team.league_rank(), team.team_rank());
      });
}

template <class Words>
Trial trial_of(Bench& bench, Case const& c) {
  return litmus_trial(bench, c, launch<Words>, play_as_host<Words>);
}

}  // namespace

Trial litmus_kokkos(Bench& bench, Case const& c) {
  std::string const& form = c.choice("form");
  if (form == "plain") return trial_of<Ordered<PlainAccess, NoFence>>(bench, c);
  if (form == "volatile") return trial_of<Ordered<VolatileAccess, NoFence>>(bench, c);
  if (form == "atomic")
    return skipped("Kokkos has no word for an atomic access that orders others: its own order nothing");
  if (litmus_scope(c) == LitmusScope::system)
    return skipped("Kokkos has no word for a fence or an atomic access that holds beyond the device");
  if (form == "relaxed") return trial_of<Ordered<KokkosAtomics, NoFence>>(bench, c);
  return trial_of<Ordered<VolatileAccess, KokkosFence>>(bench, c);
}

}  // namespace tilestride::cuda
