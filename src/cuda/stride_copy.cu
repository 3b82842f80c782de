// SPDX-License-Identifier: BSD-3-Clause
// stride_copy in raw CUDA: the tutorial's kernel.
#include <Kokkos_Core.hpp>

#include "cuda/check.hpp"
#include "cuda/native.hpp"

namespace tilestride::cuda {
namespace {

constexpr int threads = 256;

template <class T>
__global__ void __launch_bounds__(threads)
    stride_copy_kernel(T const* in, T* out, std::int64_t n, std::int64_t stride) {
  std::int64_t const i = std::int64_t(blockIdx.x) * threads + threadIdx.x;
  if (i < n) out[i * stride] = in[i * stride];
}

template <class T>
NativeKernel launcher(NativeContext const& context, StrideCopyArguments const& p) {
  Kokkos::Cuda const exec = *static_cast<Kokkos::Cuda const*>(context.exec);
  auto const blocks = static_cast<unsigned>((p.n + threads - 1) / threads);
  NativeKernel native;
  native.run = [=] {
    stride_copy_kernel<<<blocks, threads, 0, exec.cuda_stream()>>>(static_cast<T const*>(p.in), static_cast<T*>(p.out),
                                                                   p.n, p.stride);
    check(cudaGetLastError(), "stride_copy");
  };
  return native;
}

}  // namespace

NativeKernel stride_copy(NativeContext const& context, StrideCopyArguments const& p) {
  return context.type == Type::f32 ? launcher<float>(context, p) : launcher<double>(context, p);
}

}  // namespace tilestride::cuda
