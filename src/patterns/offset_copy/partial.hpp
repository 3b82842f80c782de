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
    for_blocks(
        "tilestride::offset_copy::partial", p.exec, p.blocks, KOKKOS_LAMBDA(std::int64_t first, int thread, int) {
          if (thread % 2 == 0) out[first + thread] = in[first + thread];
        });
  }

  template <class Exec, class T>
  static Check verify(OffsetCopy<Exec, T> const& p) {
    return p.verify_every(2, 2);
  }
};

}  // namespace tilestride
