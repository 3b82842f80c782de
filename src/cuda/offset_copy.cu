// SPDX-License-Identifier: BSD-3-Clause
// offset_copy in raw CUDA: the tutorial's kernel, whose threads may have several elements. A thread does all its loads
// before its first store: the compiler cannot do so by itself, since it has to assume that the arrays overlap.
#include "cuda/instance.hpp"
#include "patterns/common/per_thread.hpp"
#include "patterns/offset_copy/native.hpp"
#include "portable/dispatch.hpp"

namespace tilestride::offset_copy {
namespace {

using namespace cuda;

/// As the compiler likes: through the first-level cache, since compute capability 7.0.
struct Cached {
  template <class T>
  static __device__ T load(T const* at) {
    return *at;
  }
};

/// ld.global.cg: cached in L2 only.
struct PastL1 {
  template <class T>
  static __device__ T load(T const* at) {
    return __ldcg(at);
  }
};

template <class Loads, int PerThread, class T>
__global__ void offset_copy_kernel(T const* in, T* out, std::int64_t n, std::int64_t offset) {
  int const threads = static_cast<int>(blockDim.x);
  std::int64_t const first = std::int64_t(blockIdx.x) * (PerThread * threads) + threadIdx.x;
  T held[PerThread];
  for (int i = 0; i < PerThread; ++i) {
    if (first + i * threads < n) held[i] = Loads::load(in + first + i * threads + offset);
  }
  for (int i = 0; i < PerThread; ++i) {
    if (first + i * threads < n) out[first + i * threads + offset] = held[i];
  }
}

template <class Loads, int PerThread, class T>
NativeKernel launcher(NativeContext const& context, Arguments const& p) {
  cudaStream_t const stream = stream_of(context.exec);
  std::int64_t const block = p.team * PerThread;
  auto const blocks = static_cast<unsigned>((p.n + block - 1) / block);
  NativeKernel native;
  native.run = [=] {
    offset_copy_kernel<Loads, PerThread><<<blocks, static_cast<unsigned>(p.team), 0, stream>>>(
        static_cast<T const*>(p.in), static_cast<T*>(p.out), p.n, p.offset);
    check(cudaGetLastError(), "offset_copy");
  };
  return native;
}

template <class Loads>
NativeKernel launch(NativeContext const& context, Arguments const& p) {
  return with_type<float, double>(context.type, [&](auto type) {
    return with_int(PerThreadCounts{}, p.per_thread, [&](auto per_thread) {
      return launcher<Loads, decltype(per_thread)::value, typename decltype(type)::type>(context, p);
    });
  });
}

}  // namespace

Launchers Launchers::on_device() {
  Launchers table;
  table.offset = launch<Cached>;
  table.past_l1 = launch<PastL1>;
  return table;
}

}  // namespace tilestride::offset_copy
