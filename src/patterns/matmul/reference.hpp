// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The product that every variant is compared with: f64 sums of the inputs, and the size of what went into each sum.

#include "patterns/tiles.hpp"

namespace tilestride {

template <class Exec, class T>
struct ProductReference {
  Matrix<Exec, double> product;   ///< (M, N): Σ_k A[i][k]·B[k][j]
  Matrix<Exec, float> magnitude;  ///< (M, N): Σ_k |A[i][k]|·|B[k][j]|, to f32 accuracy

  void make(Exec const& exec, Matrix<Exec, T> const& a, Matrix<Exec, T> const& b) {
    auto const m = static_cast<std::int64_t>(a.extent(0));
    auto const n = static_cast<std::int64_t>(b.extent(1));
    product = Matrix<Exec, double>(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "tilestride::matmul::product"),
                                   m, n);
    magnitude = Matrix<Exec, float>(
        Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "tilestride::matmul::magnitude"), m, n);
    Kernel const kernel{a, b, product, magnitude};
    Kokkos::parallel_for(
        "tilestride::matmul::reference",
        Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, (m + rows - 1) / rows * kernel.across()),
        kernel);
  }

  // A work item makes `rows` x `columns` elements: columns along the lanes of a host's vectors, or over a device's
  // threads.
  static constexpr int rows = 4;
  static constexpr int columns = is_host<Exec> ? 64 : 1;

  struct Kernel {
    Matrix<Exec, T> a, b;
    Matrix<Exec, double> product;
    Matrix<Exec, float> magnitude;

    KOKKOS_FUNCTION std::int64_t across() const {
      return (static_cast<std::int64_t>(b.extent(1)) + columns - 1) / columns;
    }

    KOKKOS_FUNCTION void operator()(std::int64_t item) const {
      auto const m = static_cast<std::int64_t>(a.extent(0));
      auto const n = static_cast<std::int64_t>(b.extent(1));
      auto const depth = static_cast<std::int64_t>(b.extent(0));
      std::int64_t const row = item / across() * rows;
      std::int64_t const column = item % across() * columns;
      int const width = static_cast<int>(column + columns <= n ? columns : n - column);
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
};

}  // namespace tilestride
