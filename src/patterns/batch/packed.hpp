// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "patterns/batch/problem.hpp"

namespace tilestride::batch {

struct Packed {
  template <class Exec>
  static Trial trial(Bench& bench, Case const& c) {
    auto const p = problem_on<Batch<Exec>>(bench, c);
    Exec const instance = instance_beside(p->exec);
    return packed_trial(
        bench, p, Launch<Exec>{p->exec}, Launch<Exec>{instance},
        [p, instance] { Kokkos::deep_copy(instance, p->staged, p->staging); },
        [instance] { instance.fence("tilestride::batch::packed"); });
  }

 private:
  template <class Exec>
  struct Launch {
    Exec instance;
    template <class E>
    void operator()(Unpack<E> const& unpack, std::int64_t n) const {
      Kokkos::parallel_for("tilestride::batch::unpack",
                           Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(instance, 0, n), unpack);
    }
  };
};

}  // namespace tilestride::batch
