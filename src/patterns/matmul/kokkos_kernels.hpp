// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "plan/pattern.hpp"

namespace tilestride {

/// KokkosBlas::gemm without a vendor library behind it. Skipped where Kokkos Kernels is not built in.
Trial prepare_kokkos_kernels(Bench& bench, Case const& c);

}  // namespace tilestride
