// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The stencil itself, over some of the rows of a rank.

#include "patterns/common/tiles.hpp"
#include "patterns/halo/problem.hpp"

namespace tilestride::halo {

template <class T>
struct Sweep {
  T const *in, *above, *below;  ///< the first cell of a rank's own rows, of the row before and of the row after
  T* out;
  std::int64_t n, m, first;

  /// The n cells of a row, -1 and m being those of other ranks; beside them lie those beyond the left and right edge.
  KOKKOS_FUNCTION T const* row(std::int64_t r) const { return r < 0 ? above : r < m ? in + r * (n + 2) : below; }

  KOKKOS_FUNCTION T load(std::int64_t r, std::int64_t c) const {
    T const* const here = row(first + r);
    return here[c] + 2 * row(first + r - 1)[c] + 3 * row(first + r + 1)[c] + 5 * here[c - 1] + 7 * here[c + 1];
  }
  KOKKOS_FUNCTION void store(std::int64_t r, std::int64_t c, T x) const { out[(first + r) * n + c] = x; }
};

/// Rows [begin, end) of this rank; nothing where there are none.
template <class Exec, class T>
void sweep(Exec const& exec, Halo<Exec, T> const& p, std::int64_t begin, std::int64_t end) {
  if (begin >= end) return;
  move_matrix("tilestride::halo::sweep", exec, end - begin, p.n,
              Sweep<T>{p.row(0), p.above.data(), p.below.data(), p.out.data(), p.n, p.m, begin});
}

}  // namespace tilestride::halo
