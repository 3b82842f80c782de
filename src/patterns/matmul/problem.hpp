// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// C = A·B, all row-major, inputs random in [-1, 1):
//
//   for i in M, j in N:  C[i][j] = Σ_k A[i][k]·B[k][j]

#include "patterns/common/product.hpp"
#include "patterns/matmul/native.hpp"

namespace tilestride::matmul {

/// The number of moduli of a case, for the arguments of launchers; 0 where the variant has none.
inline int moduli_of(Case const& c) { return c.find("moduli") == nullptr ? 0 : static_cast<int>(c.integer("moduli")); }

template <class Space, class T>
struct Matmul {
  using Exec = Space;
  using Element = T;
  using Array = Kokkos::View<T*, Exec>;
  static constexpr char const* label = "tilestride::matmul";

  Exec exec;
  std::int64_t m, n, k;
  Memory memory{label};
  Matrix<Exec, T> a;  ///< (M, K)
  Matrix<Exec, T> b;  ///< (K, N)
  Matrix<Exec, T> c;  ///< (M, N)

  Matmul(Exec const& instance, Case const& planned)
      : exec(instance),
        m(planned.shape()[0]),
        n(planned.shape()[1]),
        k(planned.shape()[2]),
        a(memory.input<Array>(exec, "a", m * k, Values<T>{1}).data(), m, k),
        b(memory.input<Array>(exec, "b", k * n, Values<T>{2}).data(), k, n),
        c(memory.output<Array>(exec, "c", m * n).data(), m, n),
        reference_(std::make_shared<ProductReference<Exec, T, Matrix<Exec, T>>>()) {}

  Check verify(Excess const& excess = {}) const { return reference_->compare(exec, a, b, c, excess); }

  template <class Call>
  Check probe(Call const& call, Case const&) const {
    return probe_product(*this, a.data(), b.data(), [&] { call(*this); });
  }

  std::vector<Yardstick> yardsticks() const {
    return product_yardsticks<T>(exec, static_cast<double>(a.size() + b.size() + c.size()) * sizeof(T));
  }

  Arguments native_arguments(Case const& planned) const {
    return {a.data(), b.data(), c.data(), m, n, k, tile_of(planned), moduli_of(planned)};
  }

 private:
  std::shared_ptr<ProductReference<Exec, T, Matrix<Exec, T>>> reference_;
};

}  // namespace tilestride::matmul
