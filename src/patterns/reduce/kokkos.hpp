// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// parallel_reduce with one iteration a thread, whose share is summed in a register. Kokkos does the rest in the same
// launch: the last block to finish sums what the others left.

#include "patterns/reduce/share.hpp"

namespace tilestride {

struct ReduceByKokkos {
  template <class Exec, class T>
  static void run(Reduce<Exec, T> const& p) {
    using Policy = Kokkos::RangePolicy<Exec, Kokkos::LaunchBounds<reduce_threads, resident_teams>,
                                       Kokkos::IndexType<std::int64_t>>;
    T const* const in = p.in.data();
    std::int64_t const n = p.n;
    std::int64_t const workers = p.teams * reduce_threads_on<Exec>;
    Kokkos::parallel_reduce(
        "tilestride::reduce::kokkos", Policy(p.exec, 0, workers),
        KOKKOS_LAMBDA(std::int64_t worker, T & sum) { sum += sum_of_share<Exec>(in, n, worker, workers); }, p.sum);
  }
};

}  // namespace tilestride
