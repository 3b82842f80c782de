// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// parallel_reduce with one iteration per thread, whose share is summed in a register. Kokkos does the rest in the same
// launch: the last block to finish sums what the others left.

#include "patterns/reduce/share.hpp"

namespace tilestride::reduce {

struct ByKokkos {
  template <class Exec, class T>
  static void run(Reduce<Exec, T> const& p) {
    using Bounds = typename Traits<Exec>::template Bounds<team_threads, most_resident<Exec>>;
    using Policy = Kokkos::RangePolicy<Exec, Bounds, Kokkos::IndexType<std::int64_t>>;
    T const* const in = p.in.data();
    std::int64_t const n = p.n;
    std::int64_t const workers = p.teams * team_threads_on<Exec>;
    Kokkos::parallel_reduce(
        "tilestride::reduce::kokkos", Policy(p.exec, 0, workers),
        KOKKOS_LAMBDA(std::int64_t worker, T & sum) { sum += sum_of_share<Exec>(in, n, worker, workers); }, p.sum);
  }
};

}  // namespace tilestride::reduce
