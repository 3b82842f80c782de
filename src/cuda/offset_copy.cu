// SPDX-License-Identifier: BSD-3-Clause
// offset_copy in raw CUDA: the tutorial's kernel.
#include <Kokkos_Core.hpp>

#include "cuda/check.hpp"
#include "cuda/native.hpp"

namespace tilestride::cuda {
namespace {

template <class T>
__global__ void offset_copy_kernel(T const* in, T* out, std::int64_t n, std::int64_t offset) {
  std::int64_t const i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) out[i + offset] = in[i + offset];
}

template <class T>
NativeKernel launcher(NativeContext const& context, OffsetCopyArguments const& p) {
  Kokkos::Cuda const exec = *static_cast<Kokkos::Cuda const*>(context.exec);
  auto const blocks = static_cast<unsigned>((p.n + p.team - 1) / p.team);
  NativeKernel native;
  native.run = [=] {
    offset_copy_kernel<<<blocks, static_cast<unsigned>(p.team), 0, exec.cuda_stream()>>>(
        static_cast<T const*>(p.in), static_cast<T*>(p.out), p.n, p.offset);
    check(cudaGetLastError(), "offset_copy");
  };
  return native;
}

}  // namespace

NativeKernel offset_copy(NativeContext const& context, OffsetCopyArguments const& p) {
  return context.type == Type::f32 ? launcher<float>(context, p) : launcher<double>(context, p);
}

}  // namespace tilestride::cuda
