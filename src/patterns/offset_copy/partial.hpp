// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Every second thread idles: half as much is copied, by way of as many sectors.

#include "patterns/offset_copy/problem.hpp"

namespace tilestride::offset_copy {

struct Partial {
  static constexpr Every every{2, 2};

  template <class T>
  struct Body {
    T const* in;
    T* out;
    KOKKOS_FUNCTION T load(Place const& at) const { return at.thread % 2 == 0 ? in[at.in_array()] : T{}; }
    KOKKOS_FUNCTION void store(Place const& at, T x) const {
      if (at.thread % 2 == 0) out[at.in_array()] = x;
    }
  };

  template <class Exec, class T>
  static void run(OffsetCopy<Exec, T> const& p) {
    move_blocks("tilestride::offset_copy::partial", p.exec, p.blocks, Body<T>{p.first_in(), p.first_out()});
  }

  template <class Exec, class T>
  static Check verify(OffsetCopy<Exec, T> const& p) {
    return p.verify(every);
  }
};

}  // namespace tilestride::offset_copy
