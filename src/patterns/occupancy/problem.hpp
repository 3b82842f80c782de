// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Every work item keeps `live` values and sends all of them through fused multiply-adds, step by step:
//
//   x[i] = in[item] + i
//   for s in steps, i in live:  x[i] = fma(x[i], scale, add)
//   out[item] = Σ x[i]
//
// The values are used in every step: each needs a register, and the more registers a thread has, the fewer threads are
// resident to hide the arithmetic's latency.

#include <Kokkos_MathematicalFunctions.hpp>

#include "patterns/occupancy/native.hpp"
#include "portable/memory.hpp"
#include "portable/prepare.hpp"
#include "portable/yardsticks.hpp"

namespace tilestride::occupancy {

/// 8 teams of 1024 for each multiprocessor, so that none of them has more than another; 0 where it is not known how
/// many there are. A host needs no more than keeps its cores busy for some milliseconds.
inline std::int64_t item_count(Case const& c) {
  return is_host_space(c.space) ? 1024 : std::int64_t(8) * 1024 * c.hardware.multiprocessors;
}

/// The same number of multiply-adds for each item, however many values it has. A multiple of steps_together.
inline int steps_of(int live) { return (1 << 15) / live; }

template <class Space, class T>
struct Occupancy {
  using Exec = Space;
  using Element = T;

  Exec exec;
  int live;
  int steps;
  std::int64_t items;
  Memory memory{"tilestride::occupancy"};
  Kokkos::View<T*, Exec> in;   ///< a value for each item
  Kokkos::View<T*, Exec> out;  ///< a sum for each item
  T scale = T(0.999);
  T add = T(0.001);
  int hop = 1;  ///< from one value to the next, where the compiler must not know it

  Occupancy(Exec const& instance, Case const& c)
      : exec(instance),
        live(static_cast<int>(c.integer("live"))),
        steps(steps_of(live)),
        items(item_count(c)),
        in(memory.input<Kokkos::View<T*, Exec>>(exec, "in", items, Values<T>{1})),
        out(memory.output<Kokkos::View<T*, Exec>>(exec, "out", items)) {}

  /// Bit for bit: a fused multiply-add rounds once, wherever it is done. Here one value after the other, not all at
  /// once.
  Check verify() const {
    return check_all(exec, items, IsSum{out.data(), live, steps, scale, add}, "every sum bit for bit");
  }

  std::vector<Yardstick> yardsticks() const { return {fma_yardstick<T>(exec)}; }

  Arguments native_arguments(Case const& c) const {
    return {in.data(), out.data(), items, static_cast<int>(c.integer("team")), live, steps, scale, add};
  }

  struct IsSum {
    T const* out;
    int live, steps;
    T scale, add;
    KOKKOS_FUNCTION bool operator()(std::int64_t item) const {
      T const first = value_at<T>(1, item);
      T sum = 0;
      for (int i = 0; i < live; ++i) {
        T x = first + static_cast<T>(i);
        for (int s = 0; s < steps; ++s) x = Kokkos::fma(x, scale, add);
        sum += x;
      }
      return out[item] == sum;
    }
  };
};

/// The kernel of one work item, in teams of `threads`. A variant says which body that is and under which policy it
/// runs.
template <int Live, class Kernel, class Exec, class T>
auto body_of(Occupancy<Exec, T> const& p) {
  return typename Kernel::template Body<Live, Exec, T>{p.in, p.out, p.steps, p.scale, p.add, p.hop};
}

/// The largest team that the registers of the kernel allow; the compiler has chosen them by now.
template <int Live, class Kernel, class Exec, class T>
int largest_team(Occupancy<Exec, T> const& p) {
  return Kernel::policy(p.exec, 1, 1).team_size_max(body_of<Live, Kernel>(p), Kokkos::ParallelForTag());
}

template <int Live, class Kernel, class Exec, class T>
void launch(Occupancy<Exec, T> const& p, int threads) {
  Kokkos::parallel_for(Kernel::label, Kernel::policy(p.exec, static_cast<int>(p.items / threads), threads),
                       body_of<Live, Kernel>(p));
}

}  // namespace tilestride::occupancy
