// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Stream capture records the kernels of a launch, by Kokkos or by a library, without any change to the launching code.

#include <exception>
#include <functional>
#include <memory>
#include <stdexcept>
#include <utility>

#include "cuda/owners.hpp"

namespace tilestride::cuda {

/// What `run` enqueues on the stream: captured, not run. Null where `run` waits for the device, which a capture does
/// not allow.
inline Graph record(cudaStream_t stream, std::function<void()> const& run) {
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed), "cudaStreamBeginCapture");
  bool is_whole = true;
  try {
    run();
  } catch (std::exception const&) {
    is_whole = false;
  }
  cudaGraph_t recorded{};
  is_whole = cudaStreamEndCapture(stream, &recorded) == cudaSuccess && is_whole;
  Graph graph(recorded);
  cudaGetLastError();  // clears the sticky error that a failed capture leaves
  return is_whole ? std::move(graph) : Graph();
}

/// What enqueues `calls` calls of `run` in one piece. Empty where they cannot be recorded.
inline std::function<void()> replay_of(cudaStream_t stream, std::function<void()> const& run, long calls) {
  check(cudaStreamSynchronize(stream), "before recording");
  Graph const graph = record(stream, [&] {
    for (long i = 0; i < calls; ++i) run();
  });
  std::size_t nodes = 0;
  if (graph != nullptr) check(cudaGraphGetNodes(graph.get(), nullptr, &nodes), "cudaGraphGetNodes");
  if (nodes == 0) return {};
  cudaGraphExec_t instance{};
  check(cudaGraphInstantiate(&instance, graph.get(), 0), "cudaGraphInstantiate");
  std::shared_ptr<CUgraphExec_st> const owner(instance, cudaGraphExecDestroy);
  return [stream, owner] { check(cudaGraphLaunch(owner.get(), stream), "cudaGraphLaunch"); };
}

/// The function of the kernel that `launch` runs on the stream.
inline void const* function_of(cudaStream_t stream, std::function<void()> const& launch) {
  Graph const graph = record(stream, launch);
  if (graph == nullptr) throw std::runtime_error("this launch cannot be recorded");
  cudaGraphNode_t node{};
  std::size_t count = 1;
  check(cudaGraphGetNodes(graph.get(), &node, &count), "cudaGraphGetNodes");
  cudaKernelNodeParams kernel{};
  check(cudaGraphKernelNodeGetParams(node, &kernel), "cudaGraphKernelNodeGetParams");
  return kernel.func;
}

}  // namespace tilestride::cuda
