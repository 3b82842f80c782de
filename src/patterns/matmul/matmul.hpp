// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// C = A·B, all row-major, inputs random in [-1, 1):
//
//   for i in M, j in N:  C[i][j] = Σ_k A[i][k]·B[k][j]

#include "harness/values.hpp"
#include "harness/yardsticks.hpp"
#include "patterns/matmul/native.hpp"
#include "patterns/matmul/reference.hpp"
#include "patterns/tiles.hpp"

namespace tilestride {

inline std::int64_t yardstick_bytes(std::int64_t m, std::int64_t n, std::int64_t k, std::size_t element) {
  auto const x = static_cast<double>(m), y = static_cast<double>(n), z = static_cast<double>(k);
  return static_cast<std::int64_t>(std::min(0x1p27, 16 * static_cast<double>(element) * (x * z + z * y + x * y)));
}

template <class Space, class T>
struct Matmul {
  using Exec = Space;
  using Element = T;
  using NativeArguments = MatmulArguments;

  Exec exec;
  std::int64_t m, n, k;
  Matrix<Exec, T> a;  ///< (M, K)
  Matrix<Exec, T> b;  ///< (K, N)
  Matrix<Exec, T> c;  ///< (M, N)

  Matmul(Exec const& instance, Case const& planned)
      : exec(instance),
        m(planned.shape()[0]),
        n(planned.shape()[1]),
        k(planned.shape()[2]),
        a(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "tilestride::matmul::a"), m, k),
        b(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "tilestride::matmul::b"), k, n),
        c(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "tilestride::matmul::c"), m, n),
        reference_(std::make_shared<ProductReference<Exec, T>>()) {
    fill(exec, a.data(), m * k, Values<T>{1});
    fill(exec, b.data(), k * n, Values<T>{2});
    poison();
  }

  void poison() const { tilestride::poison(exec, c.data(), m * n); }

  /// Every element against an f64 product of the same inputs (reference.hpp), made when the first variant asks.
  ///
  /// The bound is |error| <= 8·sqrt(K)·u·(|A|·|B|)_ij with u the unit roundoff of T: rounding errors are independent
  /// enough to grow like sqrt(K) (Higham & Mary, SIAM J. Sci. Comput. 41(5), 2019, Theorem 3.1; their lambda is 8
  /// here). The worst case K·u would let a product pass that lacks whole terms. For f64 the reference itself errs as
  /// much: twice that.
  Check verify() const {
    for (auto const& [input, salt] : {std::pair(a, 1), std::pair(b, 2)}) {
      auto const elements = static_cast<std::int64_t>(input.size());
      Check const unchanged =
          check_all(exec, elements, IsInput{input.data(), static_cast<std::uint64_t>(salt)}, "inputs unchanged");
      if (!unchanged.passed) return unchanged;
    }
    if (reference_->product.extent(0) == 0) reference_->make(exec, a, b);
    double const u = std::numeric_limits<T>::epsilon() / 2;
    double const factor = 8 * std::sqrt(static_cast<double>(k)) * u * (sizeof(T) == 8 ? 2 : 1);
    return check_all(exec, m * n, IsProduct{c.data(), reference_->product.data(), reference_->magnitude.data(), factor},
                     fmt::format("every element within {:.2g} (|A||B|)ij of an f64 product", factor));
  }

  /// A copy long enough to show the memory's rate and not the latency of a call, but no giant beside a small problem.
  std::vector<Yardstick> yardsticks() const {
    std::int64_t const bytes = yardstick_bytes(m, n, k, sizeof(T));
    Kokkos::View<char*, Exec> const from(Kokkos::view_alloc(exec, "tilestride::matmul::yardstick"), bytes),
        to(Kokkos::view_alloc(exec, "tilestride::matmul::yardstick"), bytes);
    Yardstick copy = copy_yardstick(exec, to.data(), from.data(), bytes);
    copy.run = [from, to, run = copy.run] { run(); };
    return {fma_yardstick<T>(exec), copy};
  }

  NativeArguments native_arguments() const { return {a.data(), b.data(), c.data(), m, n, k}; }

  struct IsInput {
    T const* data;
    std::uint64_t salt;
    KOKKOS_FUNCTION bool operator()(std::int64_t i) const { return data[i] == value_at<T>(salt, i); }
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

 private:
  std::shared_ptr<ProductReference<Exec, T>> reference_;
};

}  // namespace tilestride
