// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// 16 bytes an iteration: a GPU's widest load and store, and a quarter (f32) or half (f64) of the blocks to launch.
// Kokkos' RangePolicy launches 128 threads a block whatever is asked for, and with one element each the launch of
// blocks is the limit.

#include "patterns/stream/blocked_host.hpp"

namespace tilestride {

struct BlockedStream {
  template <class Exec, class T>
  static void run(Stream<Exec, T> const& p) {
    if constexpr (is_host<Exec>)
      HostBlockedStream::run(p);
    else
      p.with_op([&](auto const& operation) { launch(p, operation); });
  }

  /// Iteration i < packs makes pack i; one more, where n is no multiple of a pack, makes what is left.
  template <class Exec, class T, template <class, class> class Op>
  static void launch(Stream<Exec, T> const& p, Operation<Op, T> const& op) {
    std::int64_t const n = p.n;
    std::int64_t const packs = n / Pack<T>::size;
    T* const c = p.c.data();
    auto* const wide = reinterpret_cast<Pack<T>*>(c);
    Kokkos::parallel_for(
        "tilestride::stream::blocked", iterations(p), KOKKOS_LAMBDA(std::int64_t i) {
          if (i < packs) {
            wide[i] = op.packs(i);
          } else {
            for (std::int64_t e = packs * Pack<T>::size; e < n; ++e) c[e] = op.elements(e);
          }
        });
  }

  template <class Exec, class T>
  static void launch(Stream<Exec, T> const& p, Operation<DotOp, T> const& op) {
    std::int64_t const n = p.n;
    std::int64_t const packs = n / Pack<T>::size;
    Kokkos::parallel_reduce(
        "tilestride::stream::blocked", iterations(p),
        KOKKOS_LAMBDA(std::int64_t i, T & sum) {
          if (i < packs) {
            sum += sum_of(op.packs(i));
          } else {
            for (std::int64_t e = packs * Pack<T>::size; e < n; ++e) sum += op.elements(e);
          }
        },
        p.sum);
  }

  template <class Exec, class T>
  static auto iterations(Stream<Exec, T> const& p) {
    return Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(p.exec, 0,
                                                                      (p.n + Pack<T>::size - 1) / Pack<T>::size);
  }
};

}  // namespace tilestride
