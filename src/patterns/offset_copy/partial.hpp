// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Every second thread idles: half as much is copied, by way of as many sectors.

#include "patterns/offset_copy/offset_copy.hpp"

namespace tilestride {

struct Partial {
  template <class Exec, class T>
  static void run(OffsetCopy<Exec, T> const& p) {
    T const* const in = p.in.data() + p.offset;
    T* const out = p.out.data() + p.offset;
    move_blocks(
        "tilestride::offset_copy::partial", p.exec, p.blocks,
        KOKKOS_LAMBDA(Place const& at) { return at.thread % 2 == 0 ? in[at.in_array()] : T{}; },
        KOKKOS_LAMBDA(Place const& at, T x) {
          if (at.thread % 2 == 0) out[at.in_array()] = x;
        });
  }

  template <class Exec, class T>
  static Check verify(OffsetCopy<Exec, T> const& p) {
    return p.verify_every(2, 2);
  }
};

}  // namespace tilestride
