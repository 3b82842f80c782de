// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime_api.h>

#include <stdexcept>
#include <string>

namespace tilestride::cuda {

/// Throws with the runtime's error message when a call failed.
inline void check(cudaError_t status, char const* call) {
  if (status != cudaSuccess) throw std::runtime_error(std::string(call) + ": " + cudaGetErrorString(status));
}

}  // namespace tilestride::cuda
