// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// RAII owners of resources of the CUDA runtime. Members are destroyed from the last to the first: declare a stream
// before what is used on it, and a Kokkos instance after the stream that it runs on.

#include <cuda_runtime_api.h>

#include <memory>
#include <type_traits>

#include "cuda/check.hpp"
#include "machine/pages.hpp"

namespace tilestride::cuda {

template <class Handle, cudaError_t (*destroy)(Handle)>
struct Destroy {
  void operator()(Handle handle) const noexcept { destroy(handle); }
};

template <class Handle, cudaError_t (*destroy)(Handle)>
using Owner = std::unique_ptr<std::remove_pointer_t<Handle>, Destroy<Handle, destroy>>;

using Stream = Owner<cudaStream_t, cudaStreamDestroy>;
using Event = Owner<cudaEvent_t, cudaEventDestroy>;
using Graph = Owner<cudaGraph_t, cudaGraphDestroy>;
using GraphExec = Owner<cudaGraphExec_t, cudaGraphExecDestroy>;
using DeviceMemory = Owner<void*, cudaFree>;
using PinnedMemory = Owner<void*, cudaFreeHost>;

/// flags: cudaStreamNonBlocking (it does not wait for the default stream) or cudaStreamDefault.
inline Stream make_stream(unsigned flags = cudaStreamNonBlocking) {
  cudaStream_t stream{};
  check(cudaStreamCreateWithFlags(&stream, flags), "cudaStreamCreateWithFlags");
  return Stream(stream);
}

/// flags: cudaEventDefault (it keeps the time) or cudaEventDisableTiming.
inline Event make_event(unsigned flags = cudaEventDefault) {
  cudaEvent_t event{};
  check(cudaEventCreateWithFlags(&event, flags), "cudaEventCreateWithFlags");
  return Event(event);
}

/// What is timed on a stream lies between these.
struct EventPair {
  Event begin = make_event(), end = make_event();

  /// Seconds of what `run` enqueues on the stream, which is waited for; `what` names it in errors.
  template <class Run>
  double seconds_of(cudaStream_t stream, char const* what, Run const& run) const {
    check(cudaEventRecord(begin.get(), stream), "cudaEventRecord");
    run();
    check(cudaEventRecord(end.get(), stream), "cudaEventRecord");
    check(cudaEventSynchronize(end.get()), what);
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, begin.get(), end.get()), "cudaEventElapsedTime");
    return 1e-3 * static_cast<double>(milliseconds);
  }
};

inline DeviceMemory device_memory(std::size_t bytes) {
  void* p = nullptr;
  check(cudaMalloc(&p, bytes), "cudaMalloc");
  return DeviceMemory(p);
}

/// flags: cudaHostAllocDefault, cudaHostAllocMapped, cudaHostAllocWriteCombined, cudaHostAllocPortable.
inline PinnedMemory pinned_memory(std::size_t bytes, unsigned flags = cudaHostAllocDefault) {
  void* p = nullptr;
  check(cudaHostAlloc(&p, bytes, flags), "cudaHostAlloc");
  return PinnedMemory(p);
}

/// Pages (machine/pages.hpp), pinned for as long as this lives. flags: cudaHostRegisterDefault,
/// cudaHostRegisterMapped.
inline std::shared_ptr<void> registered(std::shared_ptr<void> const& pages, std::size_t bytes,
                                        unsigned flags = cudaHostRegisterDefault) {
  check(cudaHostRegister(pages.get(), bytes, flags), "cudaHostRegister");
  return {pages.get(), [pages](void* p) { cudaHostUnregister(p); }};
}

}  // namespace tilestride::cuda
