// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The operations of STREAM as objects, for kernels that have one loop for all of them and move 16 bytes at a time:
// blocked.hpp, and its twin in raw CUDA. flat.hpp spells each of them out.

#include <cstdint>
#include <type_traits>

#include "patterns/common/pack.hpp"
#include "patterns/stream/native.hpp"

namespace tilestride::stream {

/// The s of scale and triad.
template <class T>
constexpr T scalar = std::is_integral_v<T> ? T(3) : T(0.5);

/// What element i of the result is made of; E is an element T or a Pack<T> of them.
template <class E, class T>
struct Copy {
  E const *a, *b;
  KOKKOS_FUNCTION E operator()(std::int64_t i) const { return a[i]; }
};
template <class E, class T>
struct Scale {
  E const *a, *b;
  KOKKOS_FUNCTION E operator()(std::int64_t i) const { return scalar<T> * a[i]; }
};
template <class E, class T>
struct Add {
  E const *a, *b;
  KOKKOS_FUNCTION E operator()(std::int64_t i) const { return a[i] + b[i]; }
};
template <class E, class T>
struct Triad {
  E const *a, *b;
  KOKKOS_FUNCTION E operator()(std::int64_t i) const { return a[i] + scalar<T> * b[i]; }
};
template <class E, class T>
struct Dot {
  E const *a, *b;
  KOKKOS_FUNCTION E operator()(std::int64_t i) const { return a[i] * b[i]; }
};

/// One operation, on elements and on packs of them.
template <template <class, class> class Of, class T>
struct Operation {
  Of<T, T> elements;
  Of<Pack<T>, T> packs;

  Operation(T const* a, T const* b)
      : elements{a, b}, packs{reinterpret_cast<Pack<T> const*>(a), reinterpret_cast<Pack<T> const*>(b)} {}
};

/// Calls body(Operation) for `op` over the inputs a and b.
template <class T, class Body>
auto with_operation(Op op, T const* a, T const* b, Body const& body) {
  switch (op) {
    case Op::copy: return body(Operation<Copy, T>(a, b));
    case Op::scale: return body(Operation<Scale, T>(a, b));
    case Op::add: return body(Operation<Add, T>(a, b));
    case Op::triad: return body(Operation<Triad, T>(a, b));
    case Op::dot: break;
  }
  return body(Operation<Dot, T>(a, b));
}

}  // namespace tilestride::stream
