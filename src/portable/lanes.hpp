// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A vector register of the host, for the few kernels that have to say what stays in registers.
//
// Kokkos' simd is not used for it: its width follows the architecture that Kokkos was configured for, which is one
// element where none was named, and half a register of AVX-512 for float unless the width is named too. This one
// follows the architecture that the kernels are compiled for.

#include <cstring>

namespace tilestride {

constexpr int host_line = 64;  ///< bytes of a line of a host's caches

/// The widest vector, whose bytes GCC tells as __BIGGEST_ALIGNMENT__ (Clang 14 says 16 there whatever the architecture:
/// right, but slow). It has the arithmetic of an element.
template <class T>
struct Lanes {
  static constexpr int bytes = __BIGGEST_ALIGNMENT__;
  static constexpr int count = bytes / int(sizeof(T));
  using Vector [[gnu::vector_size(bytes)]] = T;

  static Vector load(T const* from) {
    Vector x;
    std::memcpy(&x, from, sizeof x);
    return x;
  }
  static void store(T* to, Vector const& x) { std::memcpy(to, &x, sizeof x); }
};

}  // namespace tilestride
