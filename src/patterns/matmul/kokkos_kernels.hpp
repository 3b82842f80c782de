// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/pattern.hpp"

namespace tilestride::matmul {

/// KokkosBlas::gemm without a vendor library behind it. Skipped where Kokkos Kernels is not built in.
Trial prepare_kokkos_kernels(Bench& bench, Case const& c);

}  // namespace tilestride::matmul
