// SPDX-License-Identifier: BSD-3-Clause
// Lets Kokkos before 4.7.01 compile with CUDA 13: the two runtime calls it makes in their old form, which CUDA 13
// dropped.
//
// Meant to be included by force (nvcc -include) when Kokkos is built, and in every source that includes such a Kokkos.
// With CUDA 12 it is empty; a later Kokkos never calls what it adds. Both are templates, so that a toolkit which brings
// a plain function of the same signature wins over them.
#pragma once

#if defined(__cplusplus) && __has_include(<cuda_runtime_api.h>)
#  include <cuda_runtime_api.h>

#  if CUDART_VERSION >= 13000
#    include <cstddef>
#    include <type_traits>

/// The form without edge data: plain dependencies.
template <class Count, class = std::enable_if_t<std::is_integral_v<Count>>>
inline cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                            Count count) {
  return cudaGraphAddDependencies(graph, from, to, static_cast<const cudaGraphEdgeData*>(nullptr),
                                  static_cast<std::size_t>(count));
}

/// The form that names its target by a device number, or cudaCpuDeviceId for the host.
template <class Device, class = std::enable_if_t<std::is_integral_v<Device>>>
inline cudaError_t cudaMemPrefetchAsync(const void* pointer, std::size_t bytes, Device device, cudaStream_t stream) {
  const bool host = device == static_cast<Device>(cudaCpuDeviceId);
  cudaMemLocation location{};
  location.type = host ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
  location.id = host ? 0 : static_cast<int>(device);
  return cudaMemPrefetchAsync(pointer, bytes, location, 0U, stream);
}

#  endif  // CUDART_VERSION >= 13000
#endif    // a C++ compiler that finds the CUDA headers
