// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// 16 bytes per iteration: a GPU's widest load and store, and a quarter (f32) or half (f64) of the blocks to launch.
// Kokkos' RangePolicy launches 128 threads per block whatever is asked for, and with one element each the launch of
// blocks is the limit.

#include <algorithm>

#include "patterns/stream/blocked_host.hpp"

namespace tilestride::stream {

struct Blocked {
  template <class Exec, class T>
  static void run(Stream<Exec, T> const& p) {
    if constexpr (is_host<Exec>)
      BlockedOnHost::run(p);
    else
      with_operation(p.op, p.a.data(), p.b.data(), [&](auto const& operation) { launch(p, operation); });
  }

  /// Iteration i < packs makes pack i; one more, where n is no multiple of a pack, makes what is left.
  template <class Exec, class T, template <class, class> class Of>
  static void launch(Stream<Exec, T> const& p, Operation<Of, T> const& op) {
    std::int64_t const n = p.n;
    std::int64_t const packs = n / Pack<T>::size;
    std::int64_t const iterations = (n + Pack<T>::size - 1) / Pack<T>::size;
    T* const c = p.c.data();
    auto* const wide = reinterpret_cast<Pack<T>*>(c);
    Kokkos::parallel_for(
        "tilestride::stream::blocked",
        Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(p.exec, 0, iterations),
        KOKKOS_LAMBDA(std::int64_t i) {
          if (i < packs) {
            wide[i] = op.packs(i);
          } else {
            for (std::int64_t e = packs * Pack<T>::size; e < n; ++e) c[e] = op.elements(e);
          }
        });
  }

  /// Half as many iterations as the device has threads, with four loads of either array under way in each: Kokkos keeps
  /// the sum that an iteration adds to in shared memory, so that it is added to once.
  template <class Exec, class T>
  static void launch(Stream<Exec, T> const& p, Operation<Dot, T> const& op) {
    constexpr int threads = 256;
    using Bounds = typename Traits<Exec>::template Bounds<threads, Traits<Exec>::threads / 2 / threads>;
    using Policy = Kokkos::RangePolicy<Exec, Bounds, Kokkos::IndexType<std::int64_t>>;
    std::int64_t const n = p.n, workers = std::max(1, p.exec.concurrency() / 2);
    Kokkos::parallel_reduce(
        "tilestride::stream::blocked", Policy(p.exec, 0, workers),
        KOKKOS_LAMBDA(std::int64_t worker, T & sum) { sum += sum_of_share(op, n, worker, workers); }, p.sum);
  }

  /// What one of the workers sums. They walk side by side, so that neighbours read neighbours.
  template <class T>
  KOKKOS_INLINE_FUNCTION static T sum_of_share(Operation<Dot, T> const& op, std::int64_t n, std::int64_t worker,
                                               std::int64_t workers) {
    constexpr int in_flight = 4;
    std::int64_t const packs = n / Pack<T>::size;
    Pack<T> sum{};
    std::int64_t i = worker;
    for (; i + (in_flight - 1) * workers < packs; i += in_flight * workers) {
      Pack<T> x[in_flight];
      for (int k = 0; k < in_flight; ++k) x[k] = op.packs(i + k * workers);
      for (int k = 0; k < in_flight; ++k) sum = sum + x[k];
    }
    for (; i < packs; i += workers) sum = sum + op.packs(i);
    T total = sum_of(sum);
    for (std::int64_t e = packs * Pack<T>::size + worker; e < n; e += workers) total += op.elements(e);
    return total;
  }
};

}  // namespace tilestride::stream
