// SPDX-License-Identifier: BSD-3-Clause
// Stands in for patterns/matmul/kokkos_kernels.cpp in a build without Kokkos Kernels.
#include "patterns/matmul/kokkos_kernels.hpp"

#include "model/trial.hpp"

namespace tilestride::matmul {

Trial prepare_kokkos_kernels(Bench&, Case const&) {
  return skipped(SkipReason::not_built, "built without Kokkos Kernels");
}

}  // namespace tilestride::matmul
