// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Naive, the other way round: lanes run along the rows of `out`, so stores are contiguous and loads stride. Caches
// forgive strided loads more readily than strided stores.

#include "patterns/transpose/transpose.hpp"

namespace tilestride {

struct RowWrite {
  template <class Exec, class T>
  static void run(Transpose<Exec, T> const& p) {
    auto const in = p.in;
    auto const out = p.out;
    move_matrix(
        "tilestride::transpose::row_write", p.exec, p.cols, p.rows,
        KOKKOS_LAMBDA(std::int64_t c, std::int64_t r) { return in(r, c); },
        KOKKOS_LAMBDA(std::int64_t c, std::int64_t r, T x) { out(c, r) = x; });
  }
};

}  // namespace tilestride
