// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Elements that one thread moves at once.

#include <Kokkos_Macros.hpp>

namespace tilestride {

template <class T, int Count>
struct alignas(Count * sizeof(T)) Piece {
  static constexpr int size = Count;
  T v[Count];
};

/// 16 bytes, the most that one thread of a GPU loads at once.
template <class T>
using Pack = Piece<T, 16 / int(sizeof(T))>;

template <class T, int Count>
KOKKOS_INLINE_FUNCTION Piece<T, Count> operator*(Piece<T, Count> x, Piece<T, Count> const& y) {
  for (int i = 0; i < Count; ++i) x.v[i] *= y.v[i];
  return x;
}
template <class T, int Count>
KOKKOS_INLINE_FUNCTION Piece<T, Count> operator*(T s, Piece<T, Count> x) {
  for (int i = 0; i < Count; ++i) x.v[i] *= s;
  return x;
}
template <class T, int Count>
KOKKOS_INLINE_FUNCTION Piece<T, Count> operator+(Piece<T, Count> x, Piece<T, Count> const& y) {
  for (int i = 0; i < Count; ++i) x.v[i] += y.v[i];
  return x;
}
template <class T, int Count>
KOKKOS_INLINE_FUNCTION bool operator==(Piece<T, Count> const& x, Piece<T, Count> const& y) {
  bool alike = true;
  for (int i = 0; i < Count; ++i) alike = alike && x.v[i] == y.v[i];
  return alike;
}
template <class T, int Count>
KOKKOS_INLINE_FUNCTION T sum_of(Piece<T, Count> const& x) {
  T sum = 0;
  for (int i = 0; i < Count; ++i) sum += x.v[i];
  return sum;
}
template <class T>
KOKKOS_INLINE_FUNCTION T sum_of(T x) {
  return x;
}

}  // namespace tilestride
