// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Lanes in order: the tutorial's kernel.

#include "patterns/offset_copy/problem.hpp"

namespace tilestride::offset_copy {

struct InOrder {
  static constexpr Every every{};

  template <class T>
  struct Body {
    T const* in;
    T* out;
    KOKKOS_FUNCTION T load(Place const& at) const { return in[at.in_array()]; }
    KOKKOS_FUNCTION void store(Place const& at, T x) const { out[at.in_array()] = x; }
  };

  template <class Exec, class T>
  static void run(OffsetCopy<Exec, T> const& p) {
    move_blocks("tilestride::offset_copy::offset", p.exec, p.blocks, Body<T>{p.first_in(), p.first_out()});
  }
};

}  // namespace tilestride::offset_copy
