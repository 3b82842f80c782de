// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What a kernel in raw CUDA needs of the Kokkos::Cuda behind NativeContext::exec, for sources that use no more of
// Kokkos: its headers take nvcc some ten seconds in each. Launchers keep the stream, which lives until all trials are
// gone (Bench::exec).

#include <cuda_runtime_api.h>

#include "cuda/devices.hpp"

namespace tilestride::cuda {

cudaStream_t stream_of(void const* exec);
int device_of(void const* exec);

inline int attribute_of(void const* exec, cudaDeviceAttr which) { return attribute(device_of(exec), which); }

}  // namespace tilestride::cuda
