// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// One element per iteration: the usual first version.

#include "patterns/stream/problem.hpp"

namespace tilestride::stream {

struct Flat {
  template <class Exec, class T>
  static void run(Stream<Exec, T> const& p) {
    Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>> const range(p.exec, 0, p.n);
    switch (p.op) {
      case Op::copy: return copy(range, p.a.data(), p.c.data());
      case Op::scale: return scale(range, p.a.data(), p.c.data());
      case Op::add: return add(range, p.a.data(), p.b.data(), p.c.data());
      case Op::triad: return triad(range, p.a.data(), p.b.data(), p.c.data());
      case Op::dot: return dot(range, p.a.data(), p.b.data(), p.sum);
    }
  }

  template <class Range, class T>
  static void copy(Range const& range, T const* a, T* c) {
    Kokkos::parallel_for(
        "tilestride::stream::flat", range, KOKKOS_LAMBDA(std::int64_t i) { c[i] = a[i]; });
  }

  template <class Range, class T>
  static void scale(Range const& range, T const* a, T* c) {
    Kokkos::parallel_for(
        "tilestride::stream::flat", range, KOKKOS_LAMBDA(std::int64_t i) { c[i] = scalar<T> * a[i]; });
  }

  template <class Range, class T>
  static void add(Range const& range, T const* a, T const* b, T* c) {
    Kokkos::parallel_for(
        "tilestride::stream::flat", range, KOKKOS_LAMBDA(std::int64_t i) { c[i] = a[i] + b[i]; });
  }

  template <class Range, class T>
  static void triad(Range const& range, T const* a, T const* b, T* c) {
    Kokkos::parallel_for(
        "tilestride::stream::flat", range, KOKKOS_LAMBDA(std::int64_t i) { c[i] = a[i] + scalar<T> * b[i]; });
  }

  template <class Range, class T, class Sum>
  static void dot(Range const& range, T const* a, T const* b, Sum const& sum) {
    Kokkos::parallel_reduce(
        "tilestride::stream::flat", range, KOKKOS_LAMBDA(std::int64_t i, T & partial) { partial += a[i] * b[i]; }, sum);
  }
};

}  // namespace tilestride::stream
