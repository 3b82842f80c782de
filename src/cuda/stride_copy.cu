// SPDX-License-Identifier: BSD-3-Clause
// stride_copy in raw CUDA: the tutorial's kernel, whose threads may have several elements. A thread does all its loads
// before its first store: the compiler cannot do so by itself, since it has to assume that the arrays overlap.
#include "cuda/instance.hpp"
#include "cuda/native.hpp"
#include "harness/choices.hpp"
#include "patterns/per_thread.hpp"

namespace tilestride::cuda {
namespace {

constexpr int threads = 256;

template <int PerThread, class T>
__global__ void __launch_bounds__(threads)
    stride_copy_kernel(T const* in, T* out, std::int64_t n, std::int64_t stride) {
  std::int64_t const first = std::int64_t(blockIdx.x) * (PerThread * threads) + threadIdx.x;
  T held[PerThread];
  for (int i = 0; i < PerThread; ++i) {
    if (first + i * threads < n) held[i] = in[(first + i * threads) * stride];
  }
  for (int i = 0; i < PerThread; ++i) {
    if (first + i * threads < n) out[(first + i * threads) * stride] = held[i];
  }
}

template <int PerThread, class T>
NativeKernel launcher(NativeContext const& context, StrideCopyArguments const& p) {
  cudaStream_t const stream = stream_of(context.exec);
  constexpr int block = threads * PerThread;
  auto const blocks = static_cast<unsigned>((p.n + block - 1) / block);
  NativeKernel native;
  native.run = [=] {
    stride_copy_kernel<PerThread>
        <<<blocks, threads, 0, stream>>>(static_cast<T const*>(p.in), static_cast<T*>(p.out), p.n, p.stride);
    check(cudaGetLastError(), "stride_copy");
  };
  return native;
}

}  // namespace

NativeKernel stride_copy(NativeContext const& context, StrideCopyArguments const& p) {
  return with_int(PerThreadCounts{}, p.per_thread, [&](auto per_thread) {
    constexpr int N = decltype(per_thread)::value;
    return context.type == Type::f32 ? launcher<N, float>(context, p) : launcher<N, double>(context, p);
  });
}

}  // namespace tilestride::cuda
