// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Cycles that a kernel counted with clock64() and left in global memory, per operation, after its last run.

#include <cstdint>
#include <functional>

#include "cuda/check.hpp"
#include "harness/trial.hpp"

namespace tilestride::cuda {

inline std::function<Quantities()> cycles_per_operation(std::int64_t const* cycles, double operations) {
  return [cycles, operations] {
    std::int64_t counted = 0;
    check(cudaMemcpy(&counted, cycles, sizeof counted, cudaMemcpyDefault), "cudaMemcpy of the cycles");
    return Quantities{{"cycles/op", static_cast<double>(counted) / operations}};
  };
}

}  // namespace tilestride::cuda
