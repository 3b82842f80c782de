// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// One step of a stencil of five points on a grid of n x n cells, with another cell beyond each edge, which stays as it
// is. The rows are spread over ranks: rank k makes rows [k m, (k + 1) m) of `out`, and for that needs the row before
// and the row after them, which its neighbours have. Each direction has a weight of its own, so that rows at the wrong
// place are seen:
//
//   out(r, c) = in(r, c) + 2 in(r - 1, c) + 3 in(r + 1, c) + 5 in(r, c - 1) + 7 in(r, c + 1)

#include "patterns/common/collective.hpp"
#include "portable/memory.hpp"
#include "portable/prepare.hpp"
#include "portable/yardsticks.hpp"

namespace tilestride::halo {

/// The cell of a row and a column of the whole grid, each from -1 to n: an integer, so that all sums are exact.
struct Cell {
  std::int64_t n;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t row, std::int64_t column) const {
    return value_at<std::int32_t>(1, (row + 1) * (n + 2) + column + 1);
  }
};

template <class Space, class T>
struct Halo {
  using Exec = Space;
  using Element = T;
  using Array = Kokkos::View<T*, Exec>;

  Exec exec;
  Ranks& ranks;
  std::int64_t n, m;  ///< rows and columns of the whole grid, and rows of a rank
  Memory memory{"tilestride::halo"};
  Array in;            ///< m x (n + 2): with the cells beyond the left and the right edge
  Array above, below;  ///< n: the row before and the row after; beyond the grid an input, else from a neighbour
  Array out;           ///< m x n

  Halo(Exec const& instance, Case const& c, Ranks& all)
      : exec(instance),
        ranks(all),
        n(c.integer("n")),
        m(n / all.count()),
        in(memory.input<Array>(exec, "in", m * (n + 2), Cells{{n}, n + 2, first(), -1})),
        above(row_beside("above", is_first(), -1)),
        below(row_beside("below", is_last(), n)),
        out(memory.output<Array>(exec, "out", m * n)) {}

  std::vector<Yardstick> yardsticks() const {
    return {copy_yardstick(exec, out.data(), in.data(), m * n * std::int64_t(sizeof(T)))};
  }

  std::int64_t first() const { return ranks.rank() * m; }
  bool is_first() const { return ranks.rank() == 0; }
  bool is_last() const { return ranks.rank() + 1 == ranks.count(); }

  /// The n cells of one of this rank's rows.
  T* row(std::int64_t r) const { return in.data() + r * (n + 2) + 1; }

  /// This rank's part of what is sent: its first row to the rank before, its last one to the rank after, and theirs.
  Messages sends() const { return to_neighbours(row(0), row(m - 1)); }
  Messages receives() const { return to_neighbours(above.data(), below.data()); }

  Check verify() const { return check_all(exec, m * n, IsStep{out.data(), {n}, first()}, "every element exactly"); }

  /// Element i of rows of `width` cells that begin at (row, column) of the grid.
  struct Cells {
    Cell cell;
    std::int64_t width, row, column;
    KOKKOS_FUNCTION T operator()(std::int64_t i) const {
      return static_cast<T>(cell(row + i / width, column + i % width));
    }
  };

  struct IsStep {
    T const* out;
    Cell cell;
    std::int64_t first;
    KOKKOS_FUNCTION bool operator()(std::int64_t i) const {
      std::int64_t const r = first + i / cell.n, c = i % cell.n;
      return out[i] == static_cast<T>(cell(r, c) + 2 * cell(r - 1, c) + 3 * cell(r + 1, c) + 5 * cell(r, c - 1) +
                                      7 * cell(r, c + 1));
    }
  };

 private:
  Array row_beside(char const* name, bool beyond, std::int64_t row) const {
    return beyond ? memory.input<Array>(exec, name, n, Cells{{n}, n, row, 0}) : memory.work<Array>(exec, name, n);
  }

  Messages to_neighbours(T* before, T* after) const {
    auto const bytes = static_cast<std::size_t>(n) * sizeof(T);
    Messages messages;
    if (!is_first()) messages.push_back({ranks.rank() - 1, before, bytes});
    if (!is_last()) messages.push_back({ranks.rank() + 1, after, bytes});
    return messages;
  }
};

}  // namespace tilestride::halo
