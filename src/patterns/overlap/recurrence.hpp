// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What the kernel of this pattern computes: x <- scale x + add, `steps` times over. Scale and add are 1, which the
// compiler does not know, and inputs are integers: every step is exact in f32, and the result is known without the
// steps.

#include <Kokkos_Core.hpp>

#include "portable/values.hpp"

namespace tilestride::overlap {

template <class T>
struct Recurrence {
  int steps;
  T scale = 1, add = 1;

  KOKKOS_FUNCTION T operator()(T x) const {
    int done = 0;
    for (; done + 16 <= steps; done += 16) {
      for (int i = 0; i < 16; ++i) x = scale * x + add;  // a trip count that is known: no loop is left
    }
    for (; done < steps; ++done) x = scale * x + add;
    return x;
  }
};

/// out[i] = step(in[i]): the kernel, as Kokkos runs it.
template <class T>
struct Apply {
  T const* in;
  T* out;
  Recurrence<T> step;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { out[i] = step(in[i]); }
};

/// Element i of input number `salt`.
template <class T>
struct CountFrom {
  std::uint64_t salt;
  KOKKOS_FUNCTION T operator()(std::int64_t i) const {
    return static_cast<T>(static_cast<int>(scramble((salt << 56) ^ static_cast<std::uint64_t>(i)) >> 42) - (1 << 21));
  }
};

/// Whether data[i] is what `steps` steps make of it; with none, whether it is the input.
template <class T>
struct IsCounted {
  T const* data;
  CountFrom<T> input;
  int steps;
  KOKKOS_FUNCTION bool operator()(std::int64_t i) const { return data[i] == input(i) + static_cast<T>(steps); }
};

}  // namespace tilestride::overlap
