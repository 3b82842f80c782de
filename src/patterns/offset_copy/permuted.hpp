// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The lanes of each whole warp swap their elements: the warp still asks for the same sectors.

#include "patterns/offset_copy/offset_copy.hpp"

namespace tilestride {

struct Permuted {
  /// Lane l of 32 takes element 13·l + 7 mod 32: a permutation, since 13 is odd. Fewer lanes stay in order.
  KOKKOS_INLINE_FUNCTION static int place(int thread, int count) {
    int const lane = thread % 32;
    return thread - lane + 32 <= count ? thread - lane + (13 * lane + 7) % 32 : thread;
  }

  template <class Exec, class T>
  static void run(OffsetCopy<Exec, T> const& p) {
    T const* const in = p.in.data() + p.offset;
    T* const out = p.out.data() + p.offset;
    for_blocks(
        "tilestride::offset_copy::permuted", p.exec, p.blocks,
        KOKKOS_LAMBDA(std::int64_t first, int thread, int count) {
          std::int64_t const i = first + place(thread, count);
          out[i] = in[i];
        });
  }
};

}  // namespace tilestride
