// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What one thread sums before it meets the others: as much as keeps the memory busy, in as few threads as fill the
// device once.

#include <algorithm>

#include "patterns/reduce/problem.hpp"

namespace tilestride::reduce {

constexpr int packs_in_flight = 4;  ///< loads of 16 bytes that a thread starts before it adds

/// Elements that a team loads at once, and those that partials_of() has room for: fewer are not worth a team.
template <class Exec, class T>
constexpr std::int64_t team_chunk = std::max<std::int64_t>(team_threads, std::int64_t(team_threads_on<Exec>) *
                                                                             packs_in_flight * Pack<T>::size);

// The share of number `worker` of `workers` in the sum of `from`, which lies on a boundary of 16 bytes.

/// On a device the workers walk side by side, so that neighbours read neighbours.
template <class T>
KOKKOS_INLINE_FUNCTION T sum_side_by_side(T const* from, std::int64_t n, std::int64_t worker, std::int64_t workers) {
  auto const* const packs = reinterpret_cast<Pack<T> const*>(from);
  std::int64_t const count = n / Pack<T>::size;
  std::int64_t i = worker;
  Pack<T> sum{};
  for (; i + (packs_in_flight - 1) * workers < count; i += packs_in_flight * workers) {
    Pack<T> x[packs_in_flight];
    for (int k = 0; k < packs_in_flight; ++k) x[k] = packs[i + k * workers];
    for (int k = 0; k < packs_in_flight; ++k) sum = sum + x[k];
  }
  for (; i < count; i += workers) sum = sum + packs[i];
  T total = sum_of(sum);
  for (std::int64_t e = count * Pack<T>::size + worker; e < n; e += workers) total += from[e];
  return total;
}

/// On a host each has a stretch of its own, and as many sums as it takes to keep the adders busy.
template <class T>
KOKKOS_INLINE_FUNCTION T sum_of_stretch(T const* from, std::int64_t n, std::int64_t worker, std::int64_t workers) {
  auto const* const packs = reinterpret_cast<Pack<T> const*>(from);
  std::int64_t const count = n / Pack<T>::size;
  std::int64_t const stretch = (count + workers - 1) / workers;
  std::int64_t const end = (worker + 1) * stretch < count ? (worker + 1) * stretch : count;
  std::int64_t i = worker * stretch;
  Pack<T> sum[packs_in_flight] = {};
  for (; i + packs_in_flight <= end; i += packs_in_flight) {
    for (int k = 0; k < packs_in_flight; ++k) sum[k] = sum[k] + packs[i + k];
  }
  for (; i < end; ++i) sum[0] = sum[0] + packs[i];
  for (int k = 1; k < packs_in_flight; ++k) sum[0] = sum[0] + sum[k];
  T total = sum_of(sum[0]);
  for (std::int64_t e = count * Pack<T>::size + worker; e < n; e += workers) total += from[e];
  return total;
}

template <class Exec, class T>
KOKKOS_INLINE_FUNCTION T sum_of_share(T const* from, std::int64_t n, std::int64_t worker, std::int64_t workers) {
  if constexpr (is_host<Exec>)
    return sum_of_stretch(from, n, worker, workers);
  else
    return sum_side_by_side(from, n, worker, workers);
}

}  // namespace tilestride::reduce
