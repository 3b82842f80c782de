// SPDX-License-Identifier: BSD-3-Clause
// stream in raw CUDA, as blocked.hpp has it: 16 bytes per thread.
#include "cuda/blas.hpp"
#include "cuda/instance.hpp"
#include "cuda/owners.hpp"
#include "patterns/stream/operations.hpp"
#include "portable/dispatch.hpp"

namespace tilestride::stream {
namespace {

using namespace cuda;

constexpr int threads = 256;
constexpr int dot_blocks = 1024;  // resident on any GPU of today, and few enough for one block to sum up

/// Thread i < packs makes pack i; one more, where n is no multiple of a pack, makes what is left.
template <class T, template <class, class> class Of>
__global__ void __launch_bounds__(threads) each_pack(Operation<Of, T> op, T* __restrict__ c, std::int64_t n) {
  std::int64_t const packs = n / Pack<T>::size;
  std::int64_t const i = std::int64_t(blockIdx.x) * threads + threadIdx.x;
  if (i < packs) {
    reinterpret_cast<Pack<T>*>(c)[i] = op.packs(i);
  } else if (i == packs) {
    for (std::int64_t e = packs * Pack<T>::size; e < n; ++e) c[e] = op.elements(e);
  }
}

/// to[0] of the block becomes the sum of one value per thread.
template <class T>
__device__ void sum_block(T x, T* to) {
  __shared__ T of_warp[threads / 32];
  for (int offset = 16; offset > 0; offset /= 2) x += __shfl_down_sync(0xffffffffu, x, offset);
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = x;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int warp = 1; warp < threads / 32; ++warp) x += of_warp[warp];
  *to = x;
}

template <class T>
__global__ void __launch_bounds__(threads) dot_of_blocks(Operation<Dot, T> op, std::int64_t n, T* partials) {
  std::int64_t const packs = n / Pack<T>::size;
  std::int64_t const self = std::int64_t(blockIdx.x) * threads + threadIdx.x;
  T sum = 0;
#pragma unroll 4
  for (std::int64_t i = self; i < packs; i += std::int64_t(dot_blocks) * threads) sum += sum_of(op.packs(i));
  if (std::int64_t const e = packs * Pack<T>::size + self; e < n) sum += op.elements(e);
  sum_block(sum, partials + blockIdx.x);
}

template <class T>
__global__ void __launch_bounds__(threads) sum_of_partials(T const* partials, T* to) {
  T sum = 0;
  for (int i = static_cast<int>(threadIdx.x); i < dot_blocks; i += threads) sum += partials[i];
  sum_block(sum, to);
}

template <class T, template <class, class> class Of>
NativeKernel launcher(NativeContext const& context, Arguments const& p, Operation<Of, T> const& operation) {
  cudaStream_t const stream = stream_of(context.exec);
  std::int64_t const iterations = (p.n + Pack<T>::size - 1) / Pack<T>::size;
  auto const blocks = static_cast<unsigned>((iterations + threads - 1) / threads);
  NativeKernel native;
  native.run = [=] {
    each_pack<<<blocks, threads, 0, stream>>>(operation, static_cast<T*>(p.c), p.n);
    check(cudaGetLastError(), "stream");
  };
  return native;
}

template <class T>
NativeKernel launcher(NativeContext const& context, Arguments const& p, Operation<Dot, T> const& operation) {
  cudaStream_t const stream = stream_of(context.exec);
  std::shared_ptr<void> const partials = device_memory(dot_blocks * sizeof(T));
  NativeKernel native;
  native.run = [=] {
    auto* const sums = static_cast<T*>(partials.get());
    dot_of_blocks<<<dot_blocks, threads, 0, stream>>>(operation, p.n, sums);
    sum_of_partials<<<1, threads, 0, stream>>>(sums, static_cast<T*>(p.sum));
    check(cudaGetLastError(), "stream");
  };
  return native;
}

NativeKernel launch_blocked(NativeContext const& context, Arguments const& p) {
  return with_type<float, double, std::int32_t>(context.type, [&](auto type) {
    using T = typename decltype(type)::type;
    return with_operation(p.op, static_cast<T const*>(p.a), static_cast<T const*>(p.b),
                          [&](auto const& operation) { return launcher<T>(context, p, operation); });
  });
}

}  // namespace

Launchers Launchers::on_device() {
  Launchers table;
  table.blocked = launch_blocked;
  table.vendor = dot;
  return table;
}

}  // namespace tilestride::stream
