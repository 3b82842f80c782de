// SPDX-License-Identifier: BSD-3-Clause
// staged_copy in raw CUDA: shared memory asked for in each of the three ways that there are.
#include <cuda_pipeline.h>

#include <Kokkos_Core.hpp>

#include "cuda/check.hpp"
#include "cuda/native.hpp"

namespace tilestride::cuda {
namespace {

__device__ std::int64_t global_thread() { return std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x; }

template <int Threads, class T>
__global__ void __launch_bounds__(Threads) staged_static(T const* in, T* out, std::int64_t n) {
  __shared__ T staged[Threads];
  std::int64_t const i = global_thread();
  if (i < n) staged[threadIdx.x] = in[i];
  __syncthreads();
  if (i < n) out[i] = staged[threadIdx.x] + 1;
}

extern __shared__ __align__(16) unsigned char dynamic_bytes[];

template <class T>
__global__ void staged_dynamic(T const* in, T* out, std::int64_t n) {
  T* const staged = reinterpret_cast<T*>(dynamic_bytes);
  std::int64_t const i = global_thread();
  if (i < n) staged[threadIdx.x] = in[i];
  __syncthreads();
  if (i < n) out[i] = staged[threadIdx.x] + 1;
}

/// No register lies between global and shared memory; each thread waits for its own copy before the barrier.
template <class T>
__global__ void staged_async(T const* in, T* out, std::int64_t n) {
  T* const staged = reinterpret_cast<T*>(dynamic_bytes);
  std::int64_t const i = global_thread();
  if (i < n) __pipeline_memcpy_async(&staged[threadIdx.x], &in[i], sizeof(T));
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  if (i < n) out[i] = staged[threadIdx.x] + 1;
}

template <class T>
using Kernel = void (*)(T const*, T*, std::int64_t);

template <class T>
NativeKernel launcher(NativeContext const& context, StagedCopyArguments const& p, Kernel<T> kernel,
                      std::size_t shared_bytes) {
  Kokkos::Cuda const exec = *static_cast<Kokkos::Cuda const*>(context.exec);
  auto const blocks = static_cast<unsigned>((p.n + p.team - 1) / p.team);
  NativeKernel native;
  native.run = [=] {
    kernel<<<blocks, static_cast<unsigned>(p.team), shared_bytes, exec.cuda_stream()>>>(static_cast<T const*>(p.in),
                                                                                        static_cast<T*>(p.out), p.n);
    check(cudaGetLastError(), "staged_copy");
  };
  return native;
}

/// Null for a team that was not compiled.
template <class T>
Kernel<T> staged_static_for(int team) {
  switch (team) {
    case 32: return staged_static<32, T>;
    case 64: return staged_static<64, T>;
    case 128: return staged_static<128, T>;
    case 256: return staged_static<256, T>;
    case 512: return staged_static<512, T>;
    case 1024: return staged_static<1024, T>;
  }
  return nullptr;
}

template <class T>
NativeKernel launch_static(NativeContext const& context, StagedCopyArguments const& p) {
  Kernel<T> const kernel = staged_static_for<T>(p.team);
  if (kernel == nullptr) return none("compiled for teams of 32, 64, 128, 256, 512 and 1024 threads");
  return launcher<T>(context, p, kernel, 0);
}

template <class T>
NativeKernel launch_dynamic(NativeContext const& context, StagedCopyArguments const& p, Kernel<T> kernel) {
  return launcher<T>(context, p, kernel, static_cast<std::size_t>(p.team) * sizeof(T));
}

}  // namespace

NativeKernel staged_copy_static(NativeContext const& context, StagedCopyArguments const& p) {
  if (context.type == Type::f32) return launch_static<float>(context, p);
  if (context.type == Type::f64) return launch_static<double>(context, p);
  return launch_static<std::int32_t>(context, p);
}

NativeKernel staged_copy_dynamic(NativeContext const& context, StagedCopyArguments const& p) {
  if (context.type == Type::f32) return launch_dynamic<float>(context, p, staged_dynamic<float>);
  if (context.type == Type::f64) return launch_dynamic<double>(context, p, staged_dynamic<double>);
  return launch_dynamic<std::int32_t>(context, p, staged_dynamic<std::int32_t>);
}

NativeKernel staged_copy_async(NativeContext const& context, StagedCopyArguments const& p) {
  if (context.type == Type::f32) return launch_dynamic<float>(context, p, staged_async<float>);
  if (context.type == Type::f64) return launch_dynamic<double>(context, p, staged_async<double>);
  return launch_dynamic<std::int32_t>(context, p, staged_async<std::int32_t>);
}

}  // namespace tilestride::cuda
