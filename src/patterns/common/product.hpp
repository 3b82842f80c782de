// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Shared by the problems that multiply matrices: the f64 product that every variant is compared with, the verdict, and
// the yardsticks. B may be any two-dimensional View, for example A transposed.

#include "patterns/common/product_model.hpp"
#include "patterns/common/selection.hpp"
#include "patterns/common/tiles.hpp"
#include "portable/memory.hpp"
#include "portable/yardsticks.hpp"

namespace tilestride {

/// Deviations that no element of a right product reaches. The error of one is about normal, but its variance depends on
/// the path of the partial sums: among 10^15 elements the largest is expected near 27.
constexpr double most_deviations = 30;

/// Errors that a product may have beside those of rounding each term and sum.
struct Excess {
  bool cut_off = false;  ///< its sums are not rounded but cut off
  double term = 0;       ///< variance of the further error of a term t, in u²·t²
};

template <class Exec, class T, class B>
struct ProductReference {
  Matrix<Exec, double> product;  ///< (M, N): Σ_k A[i][k]·B[k][j]
  Matrix<Exec, float> squares;   ///< (M, N): Σ_k (A[i][k]·B[k][j])², to f32 accuracy

  /// Every element of `c` against the f64 product of the same inputs, which is made at the first call, and the rms of
  /// all errors.
  ///
  /// Rounding errors are independent, with mean 0 (Higham & Mary, SIAM J. Sci. Comput. 41(5), 2019): their variances
  /// add up. Each product t_k and each partial sum s_k of an element is rounded once, which has the variance v·u²·t_k²
  /// and v·u²·s_k² (u: unit roundoff of T; v: rounding_variance, values.hpp). For terms of random sign that add up to P
  /// the mean of s_k² is (k/K)²·P² + (k/K)(1 − k/K)·Σt², so that
  ///
  ///   σ² = v·u²·(Σt² + K·(P²/3 + Σt²/6)).
  ///
  /// Sums that are made in parts err less. In f64 the reference errs as much: twice that. Products that drop a bit of
  /// their inputs, or a term, are far outside: one of TF32 has 250 σ at K = 4096.
  Check compare(Exec const& exec, Matrix<Exec, T> const& a, B const& b, Matrix<Exec, T> const& c,
                Excess const& excess = {}) {
    if (product.extent(0) == 0) make(exec, a, b);
    double const u = std::numeric_limits<T>::epsilon() / 2;
    double const variance = rounding_variance * u * u * (sizeof(T) == 8 ? 2 : 1);
    return check_rounded(
        exec, static_cast<std::int64_t>(c.size()),
        ErrorOfProduct{c.data(), product.data(), squares.data(), static_cast<double>(a.extent(1)), variance,
                       excess.cut_off ? u * u : 0, excess.term * u * u},
        fmt::format("every element within {} standard deviations of its rounding error, against an f64 product",
                    most_deviations));
  }

  void make(Exec const& exec, Matrix<Exec, T> const& a, B const& b) {
    auto const m = static_cast<std::int64_t>(a.extent(0));
    auto const n = static_cast<std::int64_t>(b.extent(1));
    product = new_matrix<double>(exec, "tilestride::product::reference", m, n);
    squares = new_matrix<float>(exec, "tilestride::product::squares", m, n);
    Kernel const kernel{a, b, product, squares};
    Kokkos::parallel_for(
        "tilestride::product::reference",
        Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, (m + rows - 1) / rows * kernel.across()),
        kernel);
  }

  // A work item makes `rows` x `columns` elements: columns along the lanes of a host's vectors, or over a device's
  // threads.
  static constexpr int rows = is_host<Exec> ? 8 : 4;
  static constexpr int columns = is_host<Exec> ? 128 : 1;

  struct Kernel {
    Matrix<Exec, T> a;
    B b;
    Matrix<Exec, double> product;
    Matrix<Exec, float> squares;

    KOKKOS_FUNCTION std::int64_t across() const {
      return (static_cast<std::int64_t>(b.extent(1)) + columns - 1) / columns;
    }

    /// A width that is a constant makes hosts twice as fast.
    KOKKOS_FUNCTION void operator()(std::int64_t item) const {
      std::int64_t const row = item / across() * rows;
      std::int64_t const column = item % across() * columns;
      std::int64_t const left = static_cast<std::int64_t>(b.extent(1)) - column;
      if (left >= columns)
        make(row, column, columns);
      else
        make(row, column, static_cast<int>(left));
    }

    KOKKOS_FORCEINLINE_FUNCTION void make(std::int64_t row, std::int64_t column, int width) const {
      auto const m = static_cast<std::int64_t>(a.extent(0));
      auto const depth = static_cast<std::int64_t>(b.extent(0));
      double sum[rows][columns] = {};
      float square[rows][columns] = {};
      for (std::int64_t k = 0; k < depth; ++k) {
        for (int r = 0; r < rows; ++r) {
          auto const x = static_cast<double>(a(row + r < m ? row + r : m - 1, k));
          for (int c = 0; c < width; ++c) {
            auto const y = static_cast<double>(b(k, column + c));
            auto const term = static_cast<float>(x * y);
            sum[r][c] += x * y;
            square[r][c] += term * term;
          }
        }
      }
      for (int r = 0; r < rows && row + r < m; ++r) {
        for (int c = 0; c < width; ++c) {
          product(row + r, column + c) = sum[r][c];
          squares(row + r, column + c) = square[r][c];
        }
      }
    }
  };

  /// Units that cut off lose up to 2u|s| towards zero whenever a block of at least four products is added to a sum s
  /// (Fasi, Higham, Mikaitis & Pranesh, PeerJ Comput. Sci. 7:e330, 2021). These errors have the sign of the sum: over
  /// K/4 blocks they add up to (K/4)·u times the mean of the partial sums, whose square is P²/4 + Σt²/12.
  struct ErrorOfProduct {
    T const* c;
    double const* product;
    float const* squares;
    double depth, variance, cut, term;
    KOKKOS_FUNCTION Error operator()(std::int64_t i) const {
      double const p2 = product[i] * product[i], t2 = static_cast<double>(squares[i]);
      double const rounded = variance * (t2 + depth * (p2 / 3 + t2 / 6));
      double const cut_off = cut * depth * depth / 16 * (p2 / 4 + t2 / 12);
      double const error = Kokkos::abs(static_cast<double>(c[i]) - product[i]);
      if (error == 0) return {0, 0};
      double const deviations = error / Kokkos::sqrt(rounded);
      return {deviations, deviations / most_deviations, Kokkos::sqrt(1 + (cut_off + term * t2) / rounded)};
    }
  };
};

/// Element i of the product of such an operand, where full(j) is element j of the other one.
template <class T, class Full>
struct IsSelected {
  T const* c;
  std::int64_t columns;  ///< of C
  Selection selection;
  bool by_b;  ///< B selects from A; else A selects from B
  Full full;
  KOKKOS_FUNCTION bool operator()(std::int64_t i) const {
    std::int64_t const row = i / columns, column = i % columns;
    std::int64_t const which = by_b ? column : row, k = selection.place(which);
    return c[i] == Selection::power<T>(which) * full(by_b ? row * selection.depth + k : k * columns + column);
  }
};

constexpr char const* probe_of_products =
    "probe: every element of a product with powers of two exactly, so with every bit and term of its inputs";

/// A kernel reads its inputs as they are.
struct Unchanged {
  template <class Value>
  static Value stored(Value const& value) {
    return value;
  }
  template <class Value>
  static Value value(Value const& value) {
    return value;
  }
};

/// B selects from A, then A from B. `a`, `b`: what the kernel reads; form.stored(f) gives its elements in their form
/// there, and form.value(f) what they then are as T, for f(i) as T.
template <class Form = Unchanged, class Problem, class Stored, class Call>
Check probe_product(Problem const& p, Stored* a, Stored* b, Call const& call, Form const& form = {}) {
  using T = typename Problem::Element;
  FullValues<T> const full{3};
  auto const turn = [&](bool by_b, Stored* selecting, Stored* other) {
    Selection const selection{by_b ? p.n : p.m, p.k};
    fill(p.exec, other, by_b ? p.m * p.k : p.k * p.n, form.stored(full));
    fill(p.exec, selecting, by_b ? p.k * p.n : p.m * p.k, form.stored(Selects<T>{selection, by_b}));
    p.memory.poison();
    call();
    auto const value = form.value(full);
    return check_all(p.exec, p.m * p.n, IsSelected<T, decltype(value)>{p.c.data(), p.n, selection, by_b, value},
                     probe_of_products);
  };
  Check check = turn(true, b, a);
  if (check.passed) check = turn(false, a, b);
  p.memory.fill_inputs();
  return check;
}

/// Arithmetic, and a copy long enough to show the memory's rate and not the latency of a call, but not much larger than
/// a small problem. `matrices`: bytes of all matrices.
template <class T, class Exec>
std::vector<Yardstick> product_yardsticks(Exec const& exec, double matrices) {
  auto const bytes = static_cast<std::size_t>(yardstick_bytes(matrices));
  Kokkos::View<char*, Exec> const from(Kokkos::view_alloc(exec, "tilestride::product::yardstick"), bytes),
      to(Kokkos::view_alloc(exec, "tilestride::product::yardstick"), bytes);
  Yardstick copy = copy_yardstick(exec, to.data(), from.data(), static_cast<std::int64_t>(bytes));
  copy.run = [from, to, run = copy.run] { run(); };
  return {fma_yardstick<T>(exec), copy};
}

}  // namespace tilestride
