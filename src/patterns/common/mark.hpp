// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The probe of kernels that go through scratch. Between the stores to scratch and the loads from it every element is
// multiplied by a factor that depends on its place: a result without the marks did not come from there, or came from
// another place. It is the timed kernel, told to do so by an argument; or by a template argument where the other one
// changes its time.

#include <Kokkos_Macros.hpp>

namespace tilestride {

/// Of element `place`: a power of two from 2 to 256, so that nothing is rounded.
template <class T>
KOKKOS_INLINE_FUNCTION T mark_of(int place) {
  return static_cast<T>(2u << (static_cast<unsigned>(place) * 0x9e3779b9u >> 29));
}

}  // namespace tilestride
