// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The CUDA stream of the Kokkos::Cuda instance in NativeContext::exec, for sources that need nothing else of Kokkos:
// compiling its headers takes nvcc about ten seconds per source. Launchers may keep the stream: it exists until all
// trials are destroyed (Bench::exec).

#include <cuda_runtime_api.h>

#include "cuda/devices.hpp"

namespace tilestride::cuda {

cudaStream_t stream_of(void const* exec);
int device_of(void const* exec);

inline int attribute_of(void const* exec, cudaDeviceAttr which) { return attribute(device_of(exec), which); }

}  // namespace tilestride::cuda
