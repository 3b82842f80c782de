// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A loop of one iteration, in which one thread follows the pointers.

#include "patterns/latency/problem.hpp"

namespace tilestride::latency {

struct PointerChase {
  template <class Exec, class T>
  static void run(Latency<Exec, T> const& p) {
    follow(p, p.lines);
  }

  /// The chase through these lines, which may lie in another memory.
  template <class Exec, class T>
  static void follow(Latency<Exec, T> const& p, Line const* lines) {
    auto const chase = p.chase;
    std::int64_t const steps = chase_steps(p.count);
    Kokkos::parallel_for(
        "tilestride::latency::pointer_chase", Kokkos::RangePolicy<Exec>(p.exec, 0, 1), KOKKOS_LAMBDA(int) {
          Line const* line = lines + chase().line;
          for (std::int64_t s = 0; s < steps; ++s) line = line->next;
          chase().line = static_cast<std::uint32_t>(line - lines);
          chase().steps += steps;
        });
  }
};

}  // namespace tilestride::latency
