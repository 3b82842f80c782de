// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The same tiles read and written without turning them: what a transpose written this way could reach at most.

#include "patterns/transpose/transpose.hpp"

namespace tilestride {

struct TransposeCopy {
  template <class Exec, class T>
  static void run(Transpose<Exec, T> const& p) {
    auto const in = p.in;
    Matrix<Exec, T> const out(p.out.data(), p.rows, p.cols);  // the same memory, in the shape of in
    move_matrix(
        "tilestride::transpose::copy", p.exec, p.rows, p.cols,
        KOKKOS_LAMBDA(std::int64_t r, std::int64_t c) { return in(r, c); },
        KOKKOS_LAMBDA(std::int64_t r, std::int64_t c, T x) { out(r, c) = x; });
  }

  template <class T>
  struct IsCopied {
    T const* out;
    KOKKOS_FUNCTION bool operator()(std::int64_t i) const { return out[i] == value_at<T>(1, i); }
  };

  template <class Exec, class T>
  static Check verify(Transpose<Exec, T> const& p) {
    return check_all(p.exec, p.rows * p.cols, IsCopied<T>{p.out.data()}, "every element exactly");
  }
};

}  // namespace tilestride
