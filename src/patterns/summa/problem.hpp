// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// C = A B, all n x n, on a grid of ranks, each of which has a block of all three (van de Geijn & Watts, SUMMA,
// Concurrency 9(4), 1997). For each slice of the depth its owners send their part of A along their row and that of B
// along their column, and every rank adds the product of what it got to its block of C:
//
//   for each slice:  C_ij += A_i,slice B_slice,j

#include "patterns/common/collective.hpp"
#include "patterns/common/product.hpp"
#include "patterns/summa/grid.hpp"
#include "portable/host_device.hpp"

namespace tilestride::summa {

template <class Space, class T>
struct Summa {
  using Exec = Space;
  using Element = T;
  using Array = Kokkos::View<T*, Exec>;
  static constexpr char const* label = "tilestride::summa";

  Exec exec;
  Ranks& ranks;
  Slices slices;
  std::int64_t n, m, k;  ///< of the whole; rows and columns of a rank's block of C
  std::int64_t first_row, first_column;
  Memory memory{label};
  Array a;               ///< slices of this rank's block of A, m x width each, one after the other
  Array b;               ///< its block of B: slices are rows of it
  Matrix<Exec, T> c;     ///< m x k
  Array others[2][2];    ///< slices of A and of B that another rank has sent, for this step and the next
  Matrix<Exec, T> part;  ///< the product of a slice but the first

  Summa(Exec const& instance, Case const& planned, Ranks& all)
      : exec(instance),
        ranks(all),
        slices(slices_of(planned, all.count())),
        n(slices.n),
        m(n / slices.grid.rows),
        k(n / slices.grid.columns),
        first_row(slices.grid.row(all.rank()) * m),
        first_column(slices.grid.column(all.rank()) * k),
        a(memory.input<Array>(exec, "a", m * k, SlicesOfA{n, m, width(), first_row, first_column})),
        b(memory.input<Array>(exec, "b", m * k, Rows{n, k, first_row, first_column})),
        c(memory.output<Array>(exec, "c", m * k).data(), m, k),
        part(memory.work<Array>(exec, "part", m * k).data(), m, k),
        reference_(std::make_shared<Reference>()) {
    for (auto& buffers : others) {
      buffers[0] = memory.work<Array>(exec, "slice of a", m * width());
      buffers[1] = memory.work<Array>(exec, "slice of b", width() * k);
    }
  }

  static Slices slices_of(Case const& c, int ranks) {
    Grid const grid = Grid::of(ranks);
    return {grid, c.integer("n"), grid.slices() * c.integer("slices")};
  }

  std::int64_t width() const { return slices.width(); }
  std::vector<Yardstick> yardsticks() const {
    return product_yardsticks<T>(exec, 3 * static_cast<double>(m * k) * sizeof(T));
  }

  bool owns_a(std::int64_t slice) const { return slices.owning_column(slice) == slices.grid.column(ranks.rank()); }
  bool owns_b(std::int64_t slice) const { return slices.owning_row(slice) == slices.grid.row(ranks.rank()); }

  T* slice_of_a(std::int64_t slice) const {
    return owns_a(slice) ? a.data() + slice % (slices.count / slices.grid.columns) * m * width()
                         : others[slice % 2][0].data();
  }
  T* slice_of_b(std::int64_t slice) const {
    return owns_b(slice) ? b.data() + slice % (slices.count / slices.grid.rows) * width() * k
                         : others[slice % 2][1].data();
  }

  /// Against the product of all rows of A and all columns of B that are this rank's, made here from the index.
  Check verify() const {
    Reference& r = *reference_;
    if (r.a.extent(0) == 0) {
      r.a = new_matrix<T>(exec, "tilestride::summa::rows_of_a", m, n);
      r.b = new_matrix<T>(exec, "tilestride::summa::columns_of_b", n, k);
      fill(exec, r.a.data(), m * n, Rows{n, n, first_row, 0, 1});
      fill(exec, r.b.data(), n * k, Rows{n, k, 0, first_column, 2});
    }
    return r.product.compare(exec, r.a, r.b, c);
  }

  /// Element i of rows of `columns` elements that begin at (row, column) of a matrix with n columns.
  struct Rows {
    std::int64_t n, columns, row, column;
    std::uint64_t salt = 2;
    KOKKOS_FUNCTION T operator()(std::int64_t i) const {
      return value_at<T>(salt, (row + i / columns) * n + column + i % columns);
    }
  };
  /// Element i of slices of m x width.
  struct SlicesOfA {
    std::int64_t n, m, width, row, column;
    KOKKOS_FUNCTION T operator()(std::int64_t i) const {
      std::int64_t const slice = i / (m * width), r = i / width % m, c = i % width;
      return value_at<T>(1, (row + r) * n + column + slice * width + c);
    }
  };

 private:
  struct Reference {
    Matrix<Exec, T> a, b;
    ProductReference<Exec, T, Matrix<Exec, T>> product;
  };
  std::shared_ptr<Reference> reference_;
};

/// Why the ranks cannot share this product.
inline std::optional<Skip> why_not(Bench const& bench, Case const& c) {
  if (auto const skip = why_no_ranks(bench)) return skip;
  Grid const grid = Grid::of(bench.ranks->count());
  auto const unit = std::int64_t(message_unit) / size_of(c.type);
  if (c.integer("n") % (grid.slices() * c.integer("slices") * unit) == 0) return {};
  return Skip{SkipReason::not_applicable,
              fmt::format("a depth of {} is not {} x {} slices of whole units on a grid of {} x {}", c.integer("n"),
                          grid.slices(), c.integer("slices"), grid.rows, grid.columns)};
}

}  // namespace tilestride::summa
