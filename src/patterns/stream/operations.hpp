// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The operations of STREAM element by element, for portable kernels and for those in raw CUDA.

#include <cstdint>
#include <type_traits>

#include "patterns/pack.hpp"

namespace tilestride {

template <class T>
constexpr T stream_scalar = std::is_integral_v<T> ? T(3) : T(0.5);

/// What element i of the result is made of; E is an element T or a Pack<T> of them.
template <class E, class T>
struct CopyOp {
  E const *a, *b;
  KOKKOS_FUNCTION E operator()(std::int64_t i) const { return a[i]; }
};
template <class E, class T>
struct ScaleOp {
  E const *a, *b;
  KOKKOS_FUNCTION E operator()(std::int64_t i) const { return stream_scalar<T> * a[i]; }
};
template <class E, class T>
struct AddOp {
  E const *a, *b;
  KOKKOS_FUNCTION E operator()(std::int64_t i) const { return a[i] + b[i]; }
};
template <class E, class T>
struct TriadOp {
  E const *a, *b;
  KOKKOS_FUNCTION E operator()(std::int64_t i) const { return a[i] + stream_scalar<T> * b[i]; }
};
template <class E, class T>
struct DotOp {
  E const *a, *b;
  KOKKOS_FUNCTION E operator()(std::int64_t i) const { return a[i] * b[i]; }
};

/// One operation, on elements and on packs of them.
template <template <class, class> class Op, class T>
struct Operation {
  Op<T, T> elements;
  Op<Pack<T>, T> packs;

  Operation(T const* a, T const* b)
      : elements{a, b}, packs{reinterpret_cast<Pack<T> const*>(a), reinterpret_cast<Pack<T> const*>(b)} {}
};

}  // namespace tilestride
