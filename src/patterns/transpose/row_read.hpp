// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Naive: lanes run along the rows of `in`, so loads are contiguous and every store of a warp falls into another row of
// `out`.

#include "patterns/transpose/problem.hpp"

namespace tilestride::transpose {

struct RowRead {
  template <class Exec, class T>
  struct Body {
    Matrix<Exec, T> in, out;
    KOKKOS_FUNCTION T load(std::int64_t r, std::int64_t c) const { return in(r, c); }
    KOKKOS_FUNCTION void store(std::int64_t r, std::int64_t c, T x) const { out(c, r) = x; }
  };

  template <class Exec, class T>
  static void run(Transpose<Exec, T> const& p) {
    move_matrix("tilestride::transpose::row_read", p.exec, p.rows, p.cols, Body<Exec, T>{p.in, p.out});
  }
};

}  // namespace tilestride::transpose
