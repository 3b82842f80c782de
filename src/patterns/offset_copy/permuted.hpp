// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The lanes of each whole warp swap their elements of a row: the warp still asks for the same sectors.

#include "patterns/offset_copy/offset_copy.hpp"

namespace tilestride {

struct Permuted {
  /// Lane l of 32 takes element 13·l + 7 mod 32: a permutation, since 13 is odd. Fewer lanes stay in order.
  KOKKOS_INLINE_FUNCTION static std::int64_t swapped(Place const& at) {
    int const lane = at.thread % 32;
    bool const is_whole = at.thread - lane + 32 <= at.count;
    return at.in_array() + (is_whole ? (13 * lane + 7) % 32 - lane : 0);
  }

  template <class T>
  struct Body {
    T const* in;
    T* out;
    KOKKOS_FUNCTION T load(Place const& at) const { return in[swapped(at)]; }
    KOKKOS_FUNCTION void store(Place const& at, T x) const { out[swapped(at)] = x; }
  };

  template <class Exec, class T>
  static void run(OffsetCopy<Exec, T> const& p) {
    move_blocks("tilestride::offset_copy::permuted", p.exec, p.blocks, Body<T>{p.first_in(), p.first_out()});
  }
};

}  // namespace tilestride
