// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace tilestride::cuda {

/// The two pieces in TF32 (split.hpp) of each of so many elements.
void split(cudaStream_t stream, float const* x, float* high, float* low, std::int64_t elements);

}  // namespace tilestride::cuda
