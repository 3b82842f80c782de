// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What tensor_bf16.cu chooses from: for its launcher, and for tests/cuda/bench_tensor_ways.cu, which says how well it
// chooses.

#include "cuda/tensor_launch.hpp"

namespace tilestride::matmul {

std::vector<cuda::TensorKernel<float>> const& bf16_kernels();
cuda::TensorCosts const& bf16_costs();

}  // namespace tilestride::matmul
