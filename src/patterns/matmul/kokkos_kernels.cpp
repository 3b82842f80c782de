// SPDX-License-Identifier: BSD-3-Clause
#include "patterns/matmul/kokkos_kernels.hpp"

// First: the macros of Kokkos Kernels 4.7 look for those of Kokkos without including them. Without Kokkos' macros they
// ask for no vectorization, and on a host gemm takes seven times as long (docs/kokkos/kernels_include_order.md).
#include <Kokkos_Core.hpp>
// and then
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
