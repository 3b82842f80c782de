// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// parallel_reduce with one element per iteration: the usual first version. On CUDA Kokkos keeps the sum that an
// iteration adds to in shared memory, and the compiler has to assume that the next load might see it: one small load
// in flight per thread.

#include "patterns/reduce/problem.hpp"

namespace tilestride::reduce {

struct Flat {
  template <class Exec, class T>
  static void run(Reduce<Exec, T> const& p) {
    T const* const in = p.in.data();
    Kokkos::parallel_reduce(
        "tilestride::reduce::flat", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(p.exec, 0, p.n),
        KOKKOS_LAMBDA(std::int64_t i, T & sum) { sum += in[i]; }, p.sum);
  }
};

}  // namespace tilestride::reduce
