// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Naive, the other way round: lanes run along the rows of `out`, so stores are contiguous and loads stride. Caches
// forgive strided loads more readily than strided stores.

#include "patterns/transpose/problem.hpp"

namespace tilestride::transpose {

struct RowWrite {
  template <class Exec, class T>
  struct Body {
    Matrix<Exec, T> in, out;
    KOKKOS_FUNCTION T load(std::int64_t c, std::int64_t r) const { return in(r, c); }
    KOKKOS_FUNCTION void store(std::int64_t c, std::int64_t r, T x) const { out(c, r) = x; }
  };

  template <class Exec, class T>
  static void run(Transpose<Exec, T> const& p) {
    move_matrix("tilestride::transpose::row_write", p.exec, p.cols, p.rows, Body<Exec, T>{p.in, p.out});
  }
};

}  // namespace tilestride::transpose
