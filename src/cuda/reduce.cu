// SPDX-License-Identifier: BSD-3-Clause
// Sums in raw CUDA: the twins of src/patterns/reduce/, one with thread-block clusters, and CUB.
#include <cooperative_groups.h>

#include <cub/device/device_reduce.cuh>
#include <nv/target>

#include "cuda/cub.hpp"
#include "cuda/instance.hpp"
#include "cuda/owners.hpp"
#include "patterns/reduce/levels.hpp"
#include "patterns/reduce/native.hpp"
#include "portable/dispatch.hpp"

namespace tilestride::reduce {
namespace {

using namespace cuda;

constexpr int threads = team_threads;
constexpr int resident = resident_teams(2048);  // of the blocks that a multiprocessor holds
constexpr int in_flight = 4;                    // loads of 16 bytes that a thread starts before it adds
constexpr int cluster_blocks = 8;

template <class T>
struct Wide;  // 16 bytes
template <>
struct Wide<float> {
  using Type = float4;
};
template <>
struct Wide<double> {
  using Type = double2;
};
template <>
struct Wide<std::int32_t> {
  using Type = int4;
};
template <class T>
constexpr int width = 16 / int(sizeof(T));

__device__ float sum_of(float4 x) { return (x.x + x.y) + (x.z + x.w); }
__device__ double sum_of(double2 x) { return x.x + x.y; }
__device__ std::int32_t sum_of(int4 x) { return (x.x + x.y) + (x.z + x.w); }

/// What one thread of the grid sums; neighbours read neighbours.
template <class T>
__device__ T sum_of_share(T const* from, std::int64_t n) {
  auto const* const wide = reinterpret_cast<typename Wide<T>::Type const*>(from);
  std::int64_t const count = n / width<T>;
  std::int64_t const step = static_cast<std::int64_t>(gridDim.x) * threads;
  std::int64_t const self = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x;
  std::int64_t i = self;
  T sum = 0;
  for (; i + (in_flight - 1) * step < count; i += in_flight * step) {
    typename Wide<T>::Type x[in_flight];
#pragma unroll
    for (int k = 0; k < in_flight; ++k) x[k] = wide[i + k * step];
#pragma unroll
    for (int k = 0; k < in_flight; ++k) sum += sum_of(x[k]);
  }
  for (; i < count; i += step) sum += sum_of(wide[i]);
  for (std::int64_t e = count * width<T> + self; e < n; e += step) sum += from[e];
  return sum;
}

/// sums[0] becomes the sum of one value per thread, known to the first thread: as tree.hpp has it, by quarters.
template <class T>
__device__ void sum_tree(T* sums) {
  int const t = static_cast<int>(threadIdx.x);
#pragma unroll
  for (int quarter = threads / 4; quarter > 0; quarter /= 4) {
    __syncthreads();
    if (t < quarter) sums[t] = (sums[t] + sums[t + quarter]) + (sums[t + 2 * quarter] + sums[t + 3 * quarter]);
  }
}

/// The sum of one value per lane, known to lane 0.
template <class T, int Lanes = 32>
__device__ T sum_of_lanes(T x) {
#pragma unroll
  for (int offset = Lanes / 2; offset > 0; offset /= 2) x += __shfl_down_sync(0xffffffffu, x, offset);
  return x;
}

/// The sum of one value per thread, known to the first thread: from register to register within a warp, through shared
/// memory between warps.
template <class T>
__device__ T sum_of_block(T x) {
  __shared__ T of_warp[threads / 32];
  int const lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  x = sum_of_lanes(x);
  if (lane == 0) of_warp[warp] = x;
  __syncthreads();
  if (warp != 0) return x;
  return sum_of_lanes<T, threads / 32>(of_warp[lane % (threads / 32)]);
}

template <class T>
__global__ void __launch_bounds__(threads) global_kernel(T const* from, std::int64_t n, T* work, T* to) {
  std::int64_t const i = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x;
  T* const sums = work + static_cast<std::int64_t>(blockIdx.x) * threads;
  sums[threadIdx.x] = i < n ? from[i] : T(0);
  sum_tree(sums);
  if (threadIdx.x == 0) to[blockIdx.x] = sums[0];
}

template <class T>
__device__ T* shared_sums() {
  extern __shared__ __align__(16) unsigned char shared[];
  return reinterpret_cast<T*>(shared);
}

template <class T>
__global__ void __launch_bounds__(threads) dynamic_kernel(T const* from, std::int64_t n, T* to) {
  T* const sums = shared_sums<T>();
  std::int64_t const i = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x;
  sums[threadIdx.x] = i < n ? from[i] : T(0);
  sum_tree(sums);
  if (threadIdx.x == 0) to[blockIdx.x] = sums[0];
}

/// The tutorials' trees, which add in pairs: neighbours first, so that each step leaves lanes further apart …
template <class T>
__global__ void __launch_bounds__(threads) interleaved_kernel(T const* from, std::int64_t n, T* to) {
  __shared__ T sums[threads];
  int const t = static_cast<int>(threadIdx.x);
  std::int64_t const i = static_cast<std::int64_t>(blockIdx.x) * threads + t;
  sums[t] = i < n ? from[i] : T(0);
  for (int step = 1; step < threads; step *= 2) {
    __syncthreads();
    if (t % (2 * step) == 0) sums[t] += sums[t + step];
  }
  if (t == 0) to[blockIdx.x] = sums[0];
}

/// … or the second half onto the first, so that whole warps fall idle.
template <class T>
__global__ void __launch_bounds__(threads) halving_kernel(T const* from, std::int64_t n, T* to) {
  __shared__ T sums[threads];
  int const t = static_cast<int>(threadIdx.x);
  std::int64_t const i = static_cast<std::int64_t>(blockIdx.x) * threads + t;
  sums[t] = i < n ? from[i] : T(0);
  for (int half = threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (t < half) sums[t] += sums[t + half];
  }
  if (t == 0) to[blockIdx.x] = sums[0];
}

template <class T>
__global__ void __launch_bounds__(threads, resident) unrolled_kernel(T const* from, std::int64_t n, T* to) {
  __shared__ T sums[threads];
  sums[threadIdx.x] = sum_of_share(from, n);
  sum_tree(sums);
  if (threadIdx.x == 0) to[blockIdx.x] = sums[0];
}

template <class T>
__global__ void __launch_bounds__(threads, resident) shuffle_kernel(T const* from, std::int64_t n, T* to) {
  T const sum = sum_of_block(sum_of_share(from, n));
  if (threadIdx.x == 0) to[blockIdx.x] = sum;
}

/// One partial sum per cluster: the first block reads what the others have in their shared memory, which must stay
/// until it has.
template <class T>
__global__ void __launch_bounds__(threads, resident) cluster_kernel(T const* from, std::int64_t n, T* to) {
  __shared__ T of_block;
  T const sum = sum_of_block(sum_of_share(from, n));
  if (threadIdx.x == 0) of_block = sum;
  // The compiler has to skip this where the architecture knows no clusters.
  // clang-format off
  NV_IF_TARGET(NV_PROVIDES_SM_90, (
    auto const cluster = cooperative_groups::this_cluster();
    cluster.sync();
    if (cluster.block_rank() == 0 && threadIdx.x < 32) {
      T const other = *cluster.map_shared_rank(&of_block, threadIdx.x % cluster_blocks);
      T const all = sum_of_lanes<T, cluster_blocks>(other);
      if (threadIdx.x == 0) to[blockIdx.x / cluster_blocks] = all;
    }
    cluster.sync();
  ))
  // clang-format on
}

/// body(Tag<T>) for the element type of the case.
template <class Body>
NativeKernel with_element(NativeContext const& context, Body const& body) {
  return with_type<float, double, std::int32_t>(context.type, body);
}

template <class T>
T const* in(Arguments const& p) {
  return static_cast<T const*>(p.in);
}
template <class T>
T* out(void* p) {
  return static_cast<T*>(p);
}

/// level(from, n, to, blocks, stream) launches one level.
template <class T, class Level>
NativeKernel levels(NativeContext const& context, Arguments const& p, std::int64_t chunk, std::int64_t most,
                    Level const& level) {
  cudaStream_t const stream = stream_of(context.exec);
  NativeKernel kernel;
  kernel.run = [stream, p, chunk, most, level] {
    by_levels<T>(in<T>(p), p.n, out<T>(p.partials), out<T>(p.sum), chunk, most,
                 [&](T const* from, std::int64_t n, T* to, std::int64_t blocks) {
                   level(from, n, to, static_cast<unsigned>(blocks), stream);
                   check(cudaGetLastError(), "reduce");
                 });
  };
  return kernel;
}

template <class T>
constexpr std::int64_t block_chunk = std::int64_t(threads) * in_flight* width<T>;

NativeKernel launch_global(NativeContext const& context, Arguments const& p) {
  return with_element(context, [&](auto type) {
    using T = typename decltype(type)::type;
    T* const work = out<T>(p.work);
    return levels<T>(context, p, threads, INT64_MAX,
                     [work](T const* from, std::int64_t n, T* to, unsigned blocks, cudaStream_t stream) {
                       global_kernel<<<blocks, threads, 0, stream>>>(from, n, work, to);
                     });
  });
}

NativeKernel launch_dynamic(NativeContext const& context, Arguments const& p) {
  return with_element(context, [&](auto type) {
    using T = typename decltype(type)::type;
    return levels<T>(context, p, threads, INT64_MAX,
                     [](T const* from, std::int64_t n, T* to, unsigned blocks, cudaStream_t stream) {
                       dynamic_kernel<<<blocks, threads, threads * sizeof(T), stream>>>(from, n, to);
                     });
  });
}

NativeKernel launch_interleaved(NativeContext const& context, Arguments const& p) {
  return with_element(context, [&](auto type) {
    using T = typename decltype(type)::type;
    return levels<T>(context, p, threads, INT64_MAX,
                     [](T const* from, std::int64_t n, T* to, unsigned blocks, cudaStream_t stream) {
                       interleaved_kernel<<<blocks, threads, 0, stream>>>(from, n, to);
                     });
  });
}

NativeKernel launch_halving(NativeContext const& context, Arguments const& p) {
  return with_element(context, [&](auto type) {
    using T = typename decltype(type)::type;
    return levels<T>(context, p, threads, INT64_MAX,
                     [](T const* from, std::int64_t n, T* to, unsigned blocks, cudaStream_t stream) {
                       halving_kernel<<<blocks, threads, 0, stream>>>(from, n, to);
                     });
  });
}

NativeKernel launch_unrolled(NativeContext const& context, Arguments const& p) {
  return with_element(context, [&](auto type) {
    using T = typename decltype(type)::type;
    return levels<T>(context, p, block_chunk<T>, p.teams,
                     [](T const* from, std::int64_t n, T* to, unsigned blocks, cudaStream_t stream) {
                       unrolled_kernel<<<blocks, threads, 0, stream>>>(from, n, to);
                     });
  });
}

NativeKernel launch_shuffle(NativeContext const& context, Arguments const& p) {
  return with_element(context, [&](auto type) {
    using T = typename decltype(type)::type;
    return levels<T>(context, p, block_chunk<T>, p.teams,
                     [](T const* from, std::int64_t n, T* to, unsigned blocks, cudaStream_t stream) {
                       shuffle_kernel<<<blocks, threads, 0, stream>>>(from, n, to);
                     });
  });
}

NativeKernel launch_cluster(NativeContext const& context, Arguments const& p) {
  if (attribute_of(context.exec, cudaDevAttrClusterLaunch) == 0)
    return no_kernel(SkipReason::hardware,
                     "the device has no thread-block clusters, which need compute capability 9.0");
  return with_element(context, [&](auto type) {
    using T = typename decltype(type)::type;
    std::int64_t const most = std::max<std::int64_t>(1, p.teams / cluster_blocks);
    return levels<T>(context, p, cluster_blocks * block_chunk<T>, most,
                     [](T const* from, std::int64_t n, T* to, unsigned clusters_launched, cudaStream_t stream) {
                       cudaLaunchAttribute size{};
                       size.id = cudaLaunchAttributeClusterDimension;
                       size.val.clusterDim.x = cluster_blocks;
                       size.val.clusterDim.y = size.val.clusterDim.z = 1;
                       cudaLaunchConfig_t launch{};
                       launch.gridDim = dim3(clusters_launched * cluster_blocks);
                       launch.blockDim = dim3(threads);
                       launch.stream = stream;
                       launch.attrs = &size;
                       launch.numAttrs = 1;
                       check(cudaLaunchKernelEx(&launch, cluster_kernel<T>, from, n, to), "cudaLaunchKernelEx");
                     });
  });
}

NativeKernel launch_vendor(NativeContext const& context, Arguments const& p) {
  cudaStream_t const stream = stream_of(context.exec);
  return with_element(context, [&](auto type) {
    using T = typename decltype(type)::type;
    auto const sum = [p, stream](void* temporary, std::size_t& bytes) {
      check(cub::DeviceReduce::Sum(temporary, bytes, in<T>(p), out<T>(p.sum), p.n, stream), "cub::DeviceReduce::Sum");
    };
    std::size_t bytes = 0;
    sum(nullptr, bytes);
    std::shared_ptr<void> const temporary = device_memory(bytes);
    NativeKernel kernel;
    kernel.run = [sum, temporary, bytes]() mutable { sum(temporary.get(), bytes); };
    kernel.notes["library"] = name_of_cub();
    return kernel;
  });
}

}  // namespace

Launchers Launchers::on_device() {
  Launchers table;
  table.global = launch_global;
  table.dynamic = launch_dynamic;
  table.interleaved = launch_interleaved;
  table.halving = launch_halving;
  table.unrolled = launch_unrolled;
  table.shuffle = launch_shuffle;
  table.cluster = launch_cluster;
  table.vendor = launch_vendor;
  return table;
}

}  // namespace tilestride::reduce
