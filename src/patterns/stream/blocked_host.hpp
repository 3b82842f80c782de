// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// On a host the compiler finds wide loads and stores by itself; what it may not or cannot do is written here. A copy
// is memcpy, one stretch per thread: it writes past the caches where that pays, which portable C++ cannot ask for
// (GCC 12 takes OpenMP's `nontemporal` and ignores it). A sum is kept in parts, since a compiler must not reorder
// additions, and one after the other they take longer than the memory.

#include "patterns/stream/problem.hpp"

namespace tilestride::stream {

struct BlockedOnHost {
  template <class Exec, class T>
  static void run(Stream<Exec, T> const& p) {
    with_operation(p.op, p.a.data(), p.b.data(), [&](auto const& operation) { launch(p, operation.elements); });
  }

  template <class Exec, class T>
  static void launch(Stream<Exec, T> const& p, Copy<T, T> const& op) {
    library_copy(p.exec, p.c.data(), op.a, p.n * std::int64_t(sizeof(T)));
  }

  template <class Exec, class T, class Elements>
  static void launch(Stream<Exec, T> const& p, Elements const& op) {
    T* const c = p.c.data();
    Kokkos::parallel_for("tilestride::stream::blocked",
                         Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(p.exec, 0, p.n),
                         [=](std::int64_t i) { c[i] = op(i); });
  }

  template <class Exec, class T>
  static void launch(Stream<Exec, T> const& p, Dot<T, T> const& op) {
    constexpr int parts = 256 / int(sizeof(T));  // four of the widest vectors: an addition takes four cycles
    std::int64_t const n = p.n, threads = p.exec.concurrency();
    Kokkos::parallel_reduce(
        "tilestride::stream::blocked", Kokkos::RangePolicy<Exec>(p.exec, 0, threads),
        [=](std::int64_t thread, T& sum) {
          std::int64_t i = n / parts * thread / threads * parts;
          std::int64_t const end = thread + 1 < threads ? n / parts * (thread + 1) / threads * parts : n;
          T part[parts] = {};
          for (; i + parts <= end; i += parts) {
            for (int l = 0; l < parts; ++l) part[l] += op(i + l);
          }
          for (; i < end; ++i) part[0] += op(i);
          for (int l = 0; l < parts; ++l) sum += part[l];
        },
        p.sum);
  }
};

}  // namespace tilestride::stream
