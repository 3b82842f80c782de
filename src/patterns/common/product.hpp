// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Shared by the problems that multiply matrices: the f64 product that every variant is compared with, the verdict, and
// the yardsticks. B may be any two-dimensional View, for example A transposed.

#include "patterns/common/product_model.hpp"
#include "patterns/common/tiles.hpp"
#include "portable/values.hpp"
#include "portable/yardsticks.hpp"

namespace tilestride {

template <class Exec, class T, class B>
struct ProductReference {
  Matrix<Exec, double> product;   ///< (M, N): Σ_k A[i][k]·B[k][j]
  Matrix<Exec, float> magnitude;  ///< (M, N): Σ_k |A[i][k]|·|B[k][j]|, to f32 accuracy

  /// Every element of `c` against the f64 product of the same inputs, which is made at the first call.
  ///
  /// The bound is |error| <= 8·sqrt(K)·u·(|A|·|B|)_ij with u the unit roundoff of T: rounding errors are independent
  /// enough to grow like sqrt(K) (Higham & Mary, SIAM J. Sci. Comput. 41(5), 2019, Theorem 3.1; their lambda is 8
  /// here). With the worst-case bound K·u a product with missing terms could pass. For f64 the reference itself errs as
  /// much: twice that.
  Check compare(Exec const& exec, Matrix<Exec, T> const& a, B const& b, Matrix<Exec, T> const& c) {
    if (product.extent(0) == 0) make(exec, a, b);
    double const u = std::numeric_limits<T>::epsilon() / 2;
    double const factor = 8 * std::sqrt(static_cast<double>(a.extent(1))) * u * (sizeof(T) == 8 ? 2 : 1);
    return check_all(exec, static_cast<std::int64_t>(c.size()),
                     IsProduct{c.data(), product.data(), magnitude.data(), factor},
                     fmt::format("every element within {:.2g} (|A||B|)ij of an f64 product", factor));
  }

  void make(Exec const& exec, Matrix<Exec, T> const& a, B const& b) {
    auto const m = static_cast<std::int64_t>(a.extent(0));
    auto const n = static_cast<std::int64_t>(b.extent(1));
    product = new_matrix<double>(exec, "tilestride::product::reference", m, n);
    magnitude = new_matrix<float>(exec, "tilestride::product::magnitude", m, n);
    Kernel const kernel{a, b, product, magnitude};
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
    Matrix<Exec, float> magnitude;

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
      float size[rows][columns] = {};
      for (std::int64_t k = 0; k < depth; ++k) {
        for (int r = 0; r < rows; ++r) {
          auto const x = static_cast<double>(a(row + r < m ? row + r : m - 1, k));
          for (int c = 0; c < width; ++c) {
            auto const y = static_cast<double>(b(k, column + c));
            sum[r][c] += x * y;
            size[r][c] += static_cast<float>(Kokkos::abs(x * y));
          }
        }
      }
      for (int r = 0; r < rows && row + r < m; ++r) {
        for (int c = 0; c < width; ++c) {
          product(row + r, column + c) = sum[r][c];
          magnitude(row + r, column + c) = size[r][c];
        }
      }
    }
  };

  struct IsProduct {
    T const* c;
    double const* product;
    float const* magnitude;
    double factor;
    KOKKOS_FUNCTION bool operator()(std::int64_t i) const {
      return Kokkos::abs(static_cast<double>(c[i]) - product[i]) <= factor * static_cast<double>(magnitude[i]);
    }
  };
};

template <class T>
struct IsInput {
  T const* data;
  std::uint64_t salt;
  KOKKOS_FUNCTION bool operator()(std::int64_t i) const { return data[i] == value_at<T>(salt, i); }
};

/// No kernel has written into its own input, which was filled with Values{salt}.
template <class Exec, class T>
Check input_unchanged(Exec const& exec, Matrix<Exec, T> const& input, std::uint64_t salt) {
  return check_all(exec, static_cast<std::int64_t>(input.size()), IsInput<T>{input.data(), salt}, "inputs unchanged");
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
