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
    for_blocks(
        "tilestride::offset_copy::offset", p.exec, p.blocks,
        KOKKOS_LAMBDA(std::int64_t first, int thread, int) { out[first + thread] = in[first + thread]; });
  }
};

}  // namespace tilestride
