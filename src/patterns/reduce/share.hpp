// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What one thread sums before it meets the others: as much as keeps the memory busy, in as few threads as fill the
// device once.

#include <algorithm>

#include "patterns/reduce/reduce.hpp"

namespace tilestride {

constexpr int packs_in_flight = 4;  ///< loads of 16 bytes that a thread starts before it adds

/// Elements that a team loads at once, and those that partials_of() has room for: fewer are not worth a team.
template <class Exec, class T>
constexpr std::int64_t team_chunk = std::max<std::int64_t>(reduce_threads, std::int64_t(reduce_threads_on<Exec>) *
                                                                               packs_in_flight * Pack<T>::size);

/// The share of number `worker` of `workers` in the sum of `from`, which lies on a boundary of 16 bytes. On a device
/// the workers walk side by side, so that neighbours read neighbours; on a host each has a stretch of its own, and as
/// many sums as it takes to keep the adders busy.
template <class Exec, class T>
KOKKOS_INLINE_FUNCTION T sum_of_share(T const* from, std::int64_t n, std::int64_t worker, std::int64_t workers) {
  constexpr int sums = is_host<Exec> ? packs_in_flight : 1;
  auto const* const packs = reinterpret_cast<Pack<T> const*>(from);
  std::int64_t const count = n / Pack<T>::size;
  std::int64_t const stretch = (count + workers - 1) / workers;
  std::int64_t const step = is_host<Exec> ? 1 : workers;
  std::int64_t const end = is_host<Exec> && (worker + 1) * stretch < count ? (worker + 1) * stretch : count;
  std::int64_t i = is_host<Exec> ? worker * stretch : worker;

  Pack<T> sum[sums] = {};
  for (; i + (packs_in_flight - 1) * step < end; i += packs_in_flight * step) {
    Pack<T> x[packs_in_flight];
    for (int k = 0; k < packs_in_flight; ++k) x[k] = packs[i + k * step];
    for (int k = 0; k < packs_in_flight; ++k) sum[k % sums] = sum[k % sums] + x[k];
  }
  for (; i < end; i += step) sum[0] = sum[0] + packs[i];
  for (int k = 1; k < sums; ++k) sum[0] = sum[0] + sum[k];
  T total = sum_of(sum[0]);
  for (std::int64_t e = count * Pack<T>::size + worker; e < n; e += workers) total += from[e];
  return total;
}

}  // namespace tilestride
