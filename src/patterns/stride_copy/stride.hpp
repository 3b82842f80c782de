// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Neighbouring threads copy elements that lie `stride` apart: the tutorial's kernel.

#include "patterns/stride_copy/problem.hpp"

namespace tilestride::stride_copy {

struct Strided {
  template <class T>
  struct Body {
    T const* in;
    T* out;
    std::int64_t stride;
    KOKKOS_FUNCTION T load(Place const& at) const { return in[at.in_array() * stride]; }
    KOKKOS_FUNCTION void store(Place const& at, T x) const { out[at.in_array() * stride] = x; }
  };

  template <class Exec, class T>
  static TeamShape shape(StrideCopy<Exec, T> const&) {
    return team_shape<Exec>(team_threads, 1, 0);
  }

  template <class Exec, class T>
  static void run(StrideCopy<Exec, T> const& p) {
    move_blocks("tilestride::stride_copy::stride", p.exec, p.blocks, Body<T>{p.in.data(), p.out.data(), p.stride});
  }
};

}  // namespace tilestride::stride_copy
