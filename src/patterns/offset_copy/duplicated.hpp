// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Two threads read the same element, and each writes it to a place of its own: half as much is read, by way of as many
// sectors.

#include "patterns/offset_copy/problem.hpp"

namespace tilestride::offset_copy {

struct Duplicated {
  static constexpr Every every{2, 1};

  template <class T>
  struct Body {
    T const* in;
    T* out;
    KOKKOS_FUNCTION T load(Place const& at) const { return in[at.in_array() - at.thread % 2]; }
    KOKKOS_FUNCTION void store(Place const& at, T x) const { out[at.in_array()] = x; }
  };

  template <class Exec, class T>
  static void run(OffsetCopy<Exec, T> const& p) {
    move_blocks("tilestride::offset_copy::duplicated", p.exec, p.blocks, Body<T>{p.first_in(), p.first_out()});
  }

  template <class Exec, class T>
  static Check verify(OffsetCopy<Exec, T> const& p) {
    return p.verify(every);
  }
};

}  // namespace tilestride::offset_copy
