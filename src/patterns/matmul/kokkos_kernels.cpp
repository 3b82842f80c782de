// SPDX-License-Identifier: BSD-3-Clause
#include "patterns/matmul/kokkos_kernels.hpp"

#include <KokkosBlas3_gemm.hpp>

#include "patterns/matmul/problem.hpp"

namespace tilestride::matmul {
namespace {

struct KokkosKernelsGemm {
  template <class Exec, class T>
  static void run(Matmul<Exec, T> const& p) {
    KokkosBlas::gemm(p.exec, "N", "N", T(1), p.a, p.b, T(0), p.c);
  }
};

}  // namespace

Trial prepare_kokkos_kernels(Bench& bench, Case const& c) {
  return prepare<Matmul, KokkosKernelsGemm, float, double>(bench, c);
}

}  // namespace tilestride::matmul
