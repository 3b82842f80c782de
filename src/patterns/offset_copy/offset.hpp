// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Lanes in order: the tutorial's kernel.

#include "patterns/offset_copy/offset_copy.hpp"

namespace tilestride {

struct InOrder {
  template <class Exec, class T>
  static void run(OffsetCopy<Exec, T> const& p) {
    T const* const in = p.in.data() + p.offset;
    T* const out = p.out.data() + p.offset;
    move_blocks(
        "tilestride::offset_copy::offset", p.exec, p.blocks,
        KOKKOS_LAMBDA(Place const& at) { return in[at.in_array()]; },
        KOKKOS_LAMBDA(Place const& at, T x) { out[at.in_array()] = x; });
  }
};

}  // namespace tilestride
