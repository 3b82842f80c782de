// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Two threads read the same element, and each writes it to a place of its own: half as much is read, by way of as many
// sectors.

#include "patterns/offset_copy/offset_copy.hpp"

namespace tilestride {

struct Duplicated {
  template <class Exec, class T>
  static void run(OffsetCopy<Exec, T> const& p) {
    T const* const in = p.in.data() + p.offset;
    T* const out = p.out.data() + p.offset;
    move_blocks(
        "tilestride::offset_copy::duplicated", p.exec, p.blocks,
        KOKKOS_LAMBDA(Place const& at) { return in[at.in_array() - at.thread % 2]; },
        KOKKOS_LAMBDA(Place const& at, T x) { out[at.in_array()] = x; });
  }

  template <class Exec, class T>
  static Check verify(OffsetCopy<Exec, T> const& p) {
    return p.verify_every(2, 1);
  }
};

}  // namespace tilestride
