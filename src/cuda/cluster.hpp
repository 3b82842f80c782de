// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Clusters of blocks, each of which can access the shared memory of the others (distributed shared memory): compute
// capability 9.0. The instructions are those of the PTX manual, chapters mapa and barrier.cluster.

#include <cuda_runtime.h>

#include <nv/target>
#include <optional>
#include <string>
#include <utility>

#include "cuda/check.hpp"
#include "cuda/devices.hpp"
#include "model/skip.hpp"

namespace tilestride::cuda::cluster {

/// Where what lies at a place in this block's shared memory lies in that of the block of that rank.
template <class T>
__device__ T const* in_block(T const* shared, int rank) {
  T const* there = nullptr;
  NV_IF_TARGET(NV_PROVIDES_SM_90, (asm volatile("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"(shared), "r"(rank));))
  return there;
}

/// All threads of all blocks that have not returned; what they wrote to shared memory is seen by all of them.
__device__ inline void sync() {
  NV_IF_TARGET(NV_PROVIDES_SM_90, (asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::
                                                    : "memory");))
}

/// The same, but it orders nothing that was written before, except what a fence has released (hopper.hpp,
/// publish_barriers): nobody waits for stores.
__device__ inline void sync_relaxed() {
  NV_IF_TARGET(NV_PROVIDES_SM_90,
               (asm volatile("barrier.cluster.arrive.relaxed.aligned;\nbarrier.cluster.wait.aligned;" ::
                                 : "memory");))
}

/// Why a kernel that uses the above cannot run.
inline std::optional<Skip> why_not(int device, void const* kernel) {
  if (attribute(device, cudaDevAttrClusterLaunch) == 0)
    return Skip{SkipReason::hardware, "clusters of blocks need compute capability 9.0"};
  cudaFuncAttributes attributes{};
  check(cudaFuncGetAttributes(&attributes, kernel), "cudaFuncGetAttributes");
  if (attributes.ptxVersion < 90)
    return Skip{SkipReason::not_built, "built for compute capability " + std::to_string(attributes.ptxVersion / 10) +
                                           ", and clusters need 9.0"};
  return {};
}

template <class... Parameters, class... Values>
void launch_pairs(void (*kernel)(Parameters...), unsigned blocks, unsigned threads, std::size_t shared,
                  cudaStream_t stream, Values... values) {
  cudaLaunchAttribute pair{};
  pair.id = cudaLaunchAttributeClusterDimension;
  pair.val.clusterDim.x = 2;
  pair.val.clusterDim.y = 1;
  pair.val.clusterDim.z = 1;
  cudaLaunchConfig_t launch{};
  launch.gridDim = dim3(blocks);
  launch.blockDim = dim3(threads);
  launch.dynamicSmemBytes = shared;
  launch.stream = stream;
  launch.attrs = &pair;
  launch.numAttrs = 1;
  check(cudaLaunchKernelEx(&launch, kernel, std::move(values)...), "cudaLaunchKernelEx");
}

}  // namespace tilestride::cuda::cluster
