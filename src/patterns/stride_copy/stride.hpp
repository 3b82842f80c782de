// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Neighbouring threads copy elements that lie `stride` apart: the tutorial's kernel.

#include "patterns/stride_copy/stride_copy.hpp"

namespace tilestride {

struct Strided {
  template <class Exec, class T>
  static TeamShape shape(StrideCopy<Exec, T> const&) {
    return team_shape<Exec>(stride_copy_team, 1, 0);
  }

  template <class Exec, class T>
  static void run(StrideCopy<Exec, T> const& p) {
    T const* const in = p.in.data();
    T* const out = p.out.data();
    std::int64_t const stride = p.stride;
    move_blocks(
        "tilestride::stride_copy::stride", p.exec, p.blocks,
        KOKKOS_LAMBDA(Place const& at) { return in[at.in_array() * stride]; },
        KOKKOS_LAMBDA(Place const& at, T x) { out[at.in_array() * stride] = x; });
  }
};

}  // namespace tilestride
