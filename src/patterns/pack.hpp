// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// 16 bytes of elements, the most that one thread of a GPU loads at once.

#include <Kokkos_Macros.hpp>

namespace tilestride {

/// Elements that are moved at once.
template <class T, int Count>
struct alignas(Count * sizeof(T)) Piece {
  T v[Count];
};

template <class T>
struct alignas(16) Pack {
  static constexpr int size = 16 / int(sizeof(T));
  T v[size];
};

template <class T>
KOKKOS_INLINE_FUNCTION Pack<T> operator*(Pack<T> x, Pack<T> const& y) {
  for (int i = 0; i < Pack<T>::size; ++i) x.v[i] *= y.v[i];
  return x;
}
template <class T>
KOKKOS_INLINE_FUNCTION Pack<T> operator*(T s, Pack<T> x) {
  for (int i = 0; i < Pack<T>::size; ++i) x.v[i] *= s;
  return x;
}
template <class T>
KOKKOS_INLINE_FUNCTION Pack<T> operator+(Pack<T> x, Pack<T> const& y) {
  for (int i = 0; i < Pack<T>::size; ++i) x.v[i] += y.v[i];
  return x;
}
template <class T>
KOKKOS_INLINE_FUNCTION T sum_of(Pack<T> const& x) {
  T sum = 0;
  for (int i = 0; i < Pack<T>::size; ++i) sum += x.v[i];
  return sum;
}
template <class T>
KOKKOS_INLINE_FUNCTION T sum_of(T x) {
  return x;
}

}  // namespace tilestride
