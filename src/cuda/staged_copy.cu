// SPDX-License-Identifier: BSD-3-Clause
// staged_copy in raw CUDA: shared memory used in three ways (static, dynamic, cp.async). A thread does all its loads
// before its first store: the compiler cannot do so by itself, since it has to assume that the arrays overlap.
#include <cuda_pipeline.h>
#include <fmt/format.h>

#include "cuda/instance.hpp"
#include "model/units.hpp"
#include "patterns/common/mark.hpp"
#include "patterns/common/per_thread.hpp"
#include "patterns/staged_copy/native.hpp"
#include "portable/dispatch.hpp"

namespace tilestride::staged_copy {
namespace {

using namespace cuda;

/// The elements of one thread of a block that begins at `first`.
template <int PerThread>
struct Mine {
  int threads;
  std::int64_t first, n;

  __device__ Mine(int size, std::int64_t elements)
      : threads(size), first(std::int64_t(blockIdx.x) * (PerThread * size)), n(elements) {}

  /// body(i, place in the block, place in the array) for each that is there, number i of the thread's.
  template <class Body>
  __device__ void for_each(Body const& body) const {
    for (int i = 0; i < PerThread; ++i) {
      int const in_block = i * threads + static_cast<int>(threadIdx.x);
      if (first + in_block < n) body(i, in_block, first + in_block);
    }
  }
};

template <int PerThread, class T>
__device__ void load(Mine<PerThread> const& mine, T const* in, T* staged) {
  T held[PerThread];
  mine.for_each([&](int i, int, std::int64_t at) { held[i] = in[at]; });
  mine.for_each([&](int i, int in_block, std::int64_t) { staged[in_block] = held[i]; });
}

/// Marks what a thread has staged itself.
template <int PerThread, class T>
__device__ void mark(Mine<PerThread> const& mine, T* staged, bool marked) {
  if (!marked) return;
  mine.for_each([&](int, int in_block, std::int64_t) { staged[in_block] *= mark_of<T>(in_block); });
  __syncthreads();
}

template <int PerThread, class T>
__device__ void store(Mine<PerThread> const& mine, T const* staged, T* out) {
  T held[PerThread];
  mine.for_each([&](int i, int in_block, std::int64_t) { held[i] = staged[in_block] + 1; });
  mine.for_each([&](int i, int, std::int64_t at) { out[at] = held[i]; });
}

template <int PerThread, class T, int Threads>
__global__ void __launch_bounds__(Threads) staged_static(T const* in, T* out, std::int64_t n, bool marked) {
  __shared__ T staged[Threads * PerThread];
  Mine<PerThread> const mine(Threads, n);
  load(mine, in, staged);
  __syncthreads();
  mark(mine, staged, marked);
  store(mine, staged, out);
}

extern __shared__ __align__(16) unsigned char dynamic_bytes[];

template <int PerThread, class T>
__global__ void staged_dynamic(T const* in, T* out, std::int64_t n, bool marked) {
  T* const staged = reinterpret_cast<T*>(dynamic_bytes);
  Mine<PerThread> const mine(static_cast<int>(blockDim.x), n);
  load(mine, in, staged);
  __syncthreads();
  mark(mine, staged, marked);
  store(mine, staged, out);
}

/// No register lies between global and shared memory; each thread waits for its own copies before the barrier.
template <int PerThread, class T>
__global__ void staged_async(T const* in, T* out, std::int64_t n, bool marked) {
  T* const staged = reinterpret_cast<T*>(dynamic_bytes);
  Mine<PerThread> const mine(static_cast<int>(blockDim.x), n);
  mine.for_each(
      [&](int, int in_block, std::int64_t at) { __pipeline_memcpy_async(&staged[in_block], &in[at], sizeof(T)); });
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  mark(mine, staged, marked);
  store(mine, staged, out);
}

template <class T>
using Kernel = void (*)(T const*, T*, std::int64_t, bool);

std::int64_t block_of(Arguments const& p) { return p.team * p.per_thread; }

template <class T>
NativeKernel launcher(NativeContext const& context, Arguments const& p, Kernel<T> kernel, std::size_t shared_bytes) {
  cudaStream_t const stream = stream_of(context.exec);
  auto const blocks = static_cast<unsigned>((p.n + block_of(p) - 1) / block_of(p));
  NativeKernel native;
  native.run = [=] {
    kernel<<<blocks, static_cast<unsigned>(p.team), shared_bytes, stream>>>(static_cast<T const*>(p.in),
                                                                            static_cast<T*>(p.out), p.n, p.marked);
    check(cudaGetLastError(), "staged_copy");
  };
  return native;
}

/// Where static shared memory ends, and dynamic that is not asked for before the launch.
constexpr int most_unasked = 48 << 10;

template <int PerThread, class T, int Threads>
constexpr Kernel<T> staged_static_of() {
  if constexpr (Threads * PerThread * int(sizeof(T)) <= most_unasked) return staged_static<PerThread, T, Threads>;
  return nullptr;
}

/// Null for a team that was not compiled.
template <int PerThread, class T>
Kernel<T> staged_static_for(int team) {
  switch (team) {
    case 32: return staged_static_of<PerThread, T, 32>();
    case 64: return staged_static_of<PerThread, T, 64>();
    case 128: return staged_static_of<PerThread, T, 128>();
    case 256: return staged_static_of<PerThread, T, 256>();
    case 512: return staged_static_of<PerThread, T, 512>();
    case 1024: return staged_static_of<PerThread, T, 1024>();
  }
  return nullptr;
}

template <class T>
NativeKernel launch_with_dynamic(NativeContext const& context, Arguments const& p, Kernel<T> kernel) {
  int const most = attribute_of(context.exec, cudaDevAttrMaxSharedMemoryPerBlockOptin);
  auto const bytes = static_cast<int>(block_of(p) * std::int64_t(sizeof(T)));
  if (bytes > most)
    return no_kernel(SkipReason::limit,
                     fmt::format("needs {} of shared memory; a block has {}", short_bytes(bytes), short_bytes(most)));
  if (bytes > most_unasked)
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most), "cudaFuncSetAttribute");
  return launcher<T>(context, p, kernel, static_cast<std::size_t>(bytes));
}

/// body(Tag<T>, std::integral_constant<int, PerThread>) as the case has them.
template <class Body>
NativeKernel with_element(NativeContext const& context, Arguments const& p, Body const& body) {
  return with_type<std::int32_t, float, double>(context.type, [&](auto type) {
    return with_int(PerThreadCounts{}, p.per_thread, [&](auto per_thread) { return body(type, per_thread); });
  });
}

NativeKernel launch_static(NativeContext const& context, Arguments const& p) {
  return with_element(context, p, [&](auto type, auto per_thread) {
    using T = typename decltype(type)::type;
    Kernel<T> const kernel = staged_static_for<decltype(per_thread)::value, T>(p.team);
    if (kernel == nullptr)
      return no_kernel(SkipReason::limit,
                       "compiled for teams of 32, 64, 128, 256, 512 and 1024 threads, and for at most 48 KiB");
    return launcher<T>(context, p, kernel, 0);
  });
}

NativeKernel launch_dynamic(NativeContext const& context, Arguments const& p) {
  return with_element(context, p, [&](auto type, auto per_thread) {
    using T = typename decltype(type)::type;
    return launch_with_dynamic<T>(context, p, staged_dynamic<decltype(per_thread)::value, T>);
  });
}

NativeKernel launch_async(NativeContext const& context, Arguments const& p) {
  return with_element(context, p, [&](auto type, auto per_thread) {
    using T = typename decltype(type)::type;
    return launch_with_dynamic<T>(context, p, staged_async<decltype(per_thread)::value, T>);
  });
}

}  // namespace

Launchers Launchers::on_device() {
  Launchers table;
  table.static_array = launch_static;
  table.dynamic = launch_dynamic;
  table.async = launch_async;
  return table;
}

}  // namespace tilestride::staged_copy
