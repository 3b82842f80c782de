// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// C = A·Aᵀ, both row-major, A random in [-1, 1):
//
//   for i in M, j in M:  C[i][j] = Σ_k A[i][k]·A[j][k]
//
// Neighbours in a row of C need neighbouring rows of A: read straight from memory, the second operand strides by K.

#include "patterns/aat/native.hpp"
#include "patterns/common/product.hpp"

namespace tilestride::aat {

/// Element i of A in a probe: rows of that parity have a single element, a power of two.
template <class T>
struct RowsSelect {
  Selection selection;
  std::int64_t selecting;  ///< 0: even rows, 1: odd ones
  KOKKOS_FUNCTION bool selects(std::int64_t row) const { return row % 2 == selecting; }
  KOKKOS_FUNCTION T operator()(std::int64_t i) const {
    return selects(i / selection.depth) ? Selects<T>{selection, false}(i) : FullValues<T>{3}(i);
  }
};

/// An element of the product of a selecting row and any other row. Of two rows that do not select it must be a number
/// that the sum can have: they select in the other turn.
template <class T>
struct IsSelectedByRows {
  T const* c;
  std::int64_t m;
  RowsSelect<T> rows;
  KOKKOS_FUNCTION bool operator()(std::int64_t i) const {
    std::int64_t const row = i / m, column = i % m, depth = rows.selection.depth;
    if (!rows.selects(row) && !rows.selects(column)) return Kokkos::abs(c[i]) <= static_cast<T>(4 * depth);
    std::int64_t const selecting = rows.selects(column) ? column : row, other = rows.selects(column) ? row : column;
    std::int64_t const k = rows.selection.place(selecting);
    return c[i] == Selection::power<T>(selecting) * rows(other * depth + k);
  }
};

template <class Space, class T>
struct Aat {
  using Exec = Space;
  using Element = T;
  using Array = Kokkos::View<T*, Exec>;
  using Transposed = Kokkos::View<T**, Kokkos::LayoutLeft, Exec, Kokkos::MemoryUnmanaged>;
  static constexpr char const* label = "tilestride::aat";

  Exec exec;
  std::int64_t m, k;
  Memory memory{label};
  Matrix<Exec, T> a;  ///< (M, K)
  Transposed b;       ///< (K, M): the elements of A, rows and columns exchanged
  Matrix<Exec, T> c;  ///< (M, M)

  Aat(Exec const& instance, Case const& planned)
      : exec(instance),
        m(planned.shape()[0]),
        k(planned.shape()[1]),
        a(memory.input<Array>(exec, "a", m * k, Values<T>{1}).data(), m, k),
        b(a.data(), a.extent(1), a.extent(0)),
        c(memory.output<Array>(exec, "c", m * m).data(), m, m),
        reference_(std::make_shared<ProductReference<Exec, T, Transposed>>()) {}

  Check verify() const { return reference_->compare(exec, a, b, c); }

  /// Every other row selects from the rest, then these from those.
  template <class Call>
  Check probe(Call const& call, Case const&) const {
    Check check{true};
    for (std::int64_t selecting = 0; selecting < 2 && check.passed; ++selecting) {
      RowsSelect<T> const rows{{m, k}, selecting};
      fill(exec, a.data(), m * k, rows);
      memory.poison();
      call(*this);
      check = check_all(exec, m * m, IsSelectedByRows<T>{c.data(), m, rows}, probe_of_products);
      memory.fill_inputs();
    }
    return check;
  }

  std::vector<Yardstick> yardsticks() const {
    return product_yardsticks<T>(exec, static_cast<double>(a.size() + c.size()) * sizeof(T));
  }

  Arguments native_arguments(Case const& planned) const { return {a.data(), c.data(), m, k, tile_of(planned)}; }

 private:
  std::shared_ptr<ProductReference<Exec, T, Transposed>> reference_;
};

}  // namespace tilestride::aat
