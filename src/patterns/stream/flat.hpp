// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// One element an iteration: how everybody writes it first.

#include "patterns/stream/stream.hpp"

namespace tilestride {

struct Flat {
  template <class Exec, class T>
  static void run(Stream<Exec, T> const& p) {
    p.with_op([&](auto const& operation) { launch(p, operation.elements); });
  }

  template <class Exec, class T, class Op>
  static void launch(Stream<Exec, T> const& p, Op const& op) {
    T* const c = p.c.data();
    Kokkos::parallel_for(
        "tilestride::stream::flat", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(p.exec, 0, p.n),
        KOKKOS_LAMBDA(std::int64_t i) { c[i] = op(i); });
  }

  template <class Exec, class T>
  static void launch(Stream<Exec, T> const& p, DotOp<T, T> const& op) {
    Kokkos::parallel_reduce(
        "tilestride::stream::flat", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(p.exec, 0, p.n),
        KOKKOS_LAMBDA(std::int64_t i, T & sum) { sum += op(i); }, p.sum);
  }
};

}  // namespace tilestride
