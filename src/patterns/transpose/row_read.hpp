// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Naive: lanes run along the rows of `in`, so loads are contiguous and every store of a warp falls into another row of
// `out`.

#include "patterns/transpose/transpose.hpp"

namespace tilestride {

struct RowRead {
  template <class Exec, class T>
  static void run(Transpose<Exec, T> const& p) {
    auto const in = p.in;
    auto const out = p.out;
    move_matrix(
        "tilestride::transpose::row_read", p.exec, p.rows, p.cols,
        KOKKOS_LAMBDA(std::int64_t r, std::int64_t c) { return in(r, c); },
        KOKKOS_LAMBDA(std::int64_t r, std::int64_t c, T x) { out(c, r) = x; });
  }
};

}  // namespace tilestride
