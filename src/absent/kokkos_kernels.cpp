// SPDX-License-Identifier: BSD-3-Clause
// Stands in for patterns/matmul/kokkos_kernels.cpp in a build without Kokkos Kernels.
#include "patterns/matmul/kokkos_kernels.hpp"

#include "harness/trial.hpp"

namespace tilestride {

Trial prepare_kokkos_kernels(Bench&, Case const&) {
  Trial trial;
  trial.skip = "built without Kokkos Kernels";
  return trial;
}

}  // namespace tilestride
