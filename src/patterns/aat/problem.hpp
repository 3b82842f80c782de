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

template <class Space, class T>
struct Aat {
  using Exec = Space;
  using Element = T;
  using Transposed = Kokkos::View<T**, Kokkos::LayoutLeft, Exec, Kokkos::MemoryUnmanaged>;
  static constexpr char const* label = "tilestride::aat";

  Exec exec;
  std::int64_t m, k;
  Matrix<Exec, T> a;  ///< (M, K)
  Transposed b;       ///< (K, M): the elements of A, rows and columns exchanged
  Matrix<Exec, T> c;  ///< (M, M)

  Aat(Exec const& instance, Case const& planned)
      : exec(instance),
        m(planned.shape()[0]),
        k(planned.shape()[1]),
        a(new_matrix<T>(exec, "tilestride::aat::a", m, k)),
        b(a.data(), a.extent(1), a.extent(0)),
        c(new_matrix<T>(exec, "tilestride::aat::c", m, m)),
        reference_(std::make_shared<ProductReference<Exec, T, Transposed>>()) {
    fill(exec, a.data(), m * k, Values<T>{1});
    poison();
  }

  void poison() const { tilestride::poison(exec, c.data(), m * m); }

  Check verify() const {
    if (Check const unchanged = input_unchanged(exec, a, 1); !unchanged.passed) return unchanged;
    return reference_->compare(exec, a, b, c);
  }

  std::vector<Yardstick> yardsticks() const {
    return product_yardsticks<T>(exec, static_cast<double>(a.size() + c.size()) * sizeof(T));
  }

  Arguments native_arguments(Case const& planned) const { return {a.data(), c.data(), m, k, tile_of(planned)}; }

 private:
  std::shared_ptr<ProductReference<Exec, T, Transposed>> reference_;
};

}  // namespace tilestride::aat
