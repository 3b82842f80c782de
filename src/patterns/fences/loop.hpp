// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What is available in Kokkos: the team's barrier, three fences, each of device scope, and atomic loads, which are
// relaxed. Volatile is C++.

#include "patterns/fences/problem.hpp"

namespace tilestride::fences {

namespace ops {

struct Nothing {
  template <class Member>
  static KOKKOS_FUNCTION std::int32_t apply(Member const&, std::int32_t const*) {
    return 0;
  }
};
struct TeamBarrier {
  template <class Member>
  static KOKKOS_FUNCTION std::int32_t apply(Member const& team, std::int32_t const*) {
    team.team_barrier();
    return 0;
  }
};
struct MemoryFence {
  template <class Member>
  static KOKKOS_FUNCTION std::int32_t apply(Member const&, std::int32_t const*) {
    Kokkos::memory_fence();
    return 0;
  }
};
struct LoadFence {
  template <class Member>
  static KOKKOS_FUNCTION std::int32_t apply(Member const&, std::int32_t const*) {
    Kokkos::load_fence();
    return 0;
  }
};
struct StoreFence {
  template <class Member>
  static KOKKOS_FUNCTION std::int32_t apply(Member const&, std::int32_t const*) {
    Kokkos::store_fence();
    return 0;
  }
};
struct PlainLoad {
  template <class Member>
  static KOKKOS_FUNCTION std::int32_t apply(Member const&, std::int32_t const* word) {
    return *word;
  }
};
struct VolatileLoad {
  template <class Member>
  static KOKKOS_FUNCTION std::int32_t apply(Member const&, std::int32_t const* word) {
    return *static_cast<std::int32_t const volatile*>(word);
  }
};
struct AtomicLoad {
  template <class Member>
  static KOKKOS_FUNCTION std::int32_t apply(Member const&, std::int32_t const* word) {
    return Kokkos::atomic_load(word);
  }
};

}  // namespace ops

struct Loop {
  template <class Exec, class T>
  static TeamShape shape(Fences<Exec, T> const& p) {
    return team_shape<Exec>(p.threads, 1, 0);
  }

  template <class Exec, class T>
  static void run(Fences<Exec, T> const& p) {
    if (p.op == "nothing") run_op<ops::Nothing>(p);
    if (p.op == "team_barrier") run_op<ops::TeamBarrier>(p);
    if (p.op == "fence_device") run_op<ops::MemoryFence>(p);
    if (p.op == "fence_load") run_op<ops::LoadFence>(p);
    if (p.op == "fence_store") run_op<ops::StoreFence>(p);
    if (p.op == "plain_load") run_op<ops::PlainLoad>(p);
    if (p.op == "volatile_load") run_op<ops::VolatileLoad>(p);
    if (p.op == "atomic_load") run_op<ops::AtomicLoad>(p);
  }

  template <class Op, class Exec, class T>
  static void run_op(Fences<Exec, T> const& p) {
    p.stores ? run_loop<Op, true>(p) : run_loop<Op, false>(p);
  }

  template <class Op, bool Stores, class Exec, class T>
  static void run_loop(Fences<Exec, T> const& p) {
    using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
    auto const zeros = p.zeros, stored = p.stored, out = p.out;
    Kokkos::parallel_for(
        "tilestride::fences::loop", Kokkos::TeamPolicy<Exec>(p.exec, 1, p.threads), KOKKOS_LAMBDA(Member const& team) {
          int const thread = team.team_rank();
          T volatile* const mine = &stored[thread];
          T x = thread, y = 0;
          for (int step = 0; step < steps; ++step) {
            x = next(x, y);
            if (Stores) *mine = x;
            y = Op::apply(team, &zeros[y]);
          }
          out[thread] = x;
        });
  }
};

}  // namespace tilestride::fences
