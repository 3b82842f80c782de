// SPDX-License-Identifier: BSD-3-Clause
// A tile in shared memory, stored and loaded along rows or columns, declared with compile-time extents, or allocated at
// the launch. A block has the extents of the tile, as the tutorials have it.
#include <fmt/format.h>

#include "cuda/cycles.hpp"
#include "cuda/instance.hpp"
#include "model/units.hpp"
#include "patterns/tile_access/native.hpp"
#include "portable/dispatch.hpp"

namespace tilestride::tile_access {
namespace {

using namespace cuda;

/// The rounds of one thread; the first of the block counts their cycles.
template <class T>
__device__ void store_and_load(T& store, T const& load, int i, Arguments const& p, std::int64_t* cycles) {
  T x = static_cast<T>(i);
  __syncthreads();
  std::int64_t const begin = clock64();
  for (int round = 0; round < p.repeat; ++round) {
    store = x;
    __syncthreads();
    x = load + T(1);
    __syncthreads();
  }
  if (i == 0) *cycles = clock64() - begin;
  static_cast<T*>(p.out)[i] = x;
}

template <class T, int Width, int Height, int Pad>
__global__ void __launch_bounds__(Width* Height) static_tile(Arguments p, std::int64_t* cycles) {
  __shared__ T tile[Height][Width + Pad];
  int const i = threadIdx.y * Width + threadIdx.x;
  int const s = (i + p.shift) % (Width * Height);
  T& store = p.store_columns ? tile[s % Height][s / Height] : tile[s / Width][s % Width];
  T& load = p.load_columns ? tile[i % Height][i / Height] : tile[threadIdx.y][threadIdx.x];
  store_and_load(store, load, i, p, cycles);
}

template <class T>
__global__ void dynamic_tile(Arguments p, std::int64_t* cycles) {
  extern __shared__ double memory[];
  T* const tile = reinterpret_cast<T*>(memory);
  int const pitch = p.width + p.pad;
  int const i = threadIdx.y * p.width + threadIdx.x;
  int const s = (i + p.shift) % (p.width * p.height);
  T& store = tile[p.store_columns ? s % p.height * pitch + s / p.height : s / p.width * pitch + s % p.width];
  T& load = tile[p.load_columns ? i % p.height * pitch + i / p.height : threadIdx.y * pitch + threadIdx.x];
  store_and_load(store, load, i, p, cycles);
}

using Kernel = void (*)(Arguments, std::int64_t*);

template <class T>
Kernel find_static(Arguments const& p) {
  struct Row {
    int width, height, pad;
    Kernel kernel;
  };
  static Row const rows[] = {
      {32, 32, 0, static_tile<T, 32, 32, 0>}, {32, 32, 1, static_tile<T, 32, 32, 1>},
      {32, 32, 2, static_tile<T, 32, 32, 2>}, {32, 16, 0, static_tile<T, 32, 16, 0>},
      {32, 16, 1, static_tile<T, 32, 16, 1>}, {32, 16, 2, static_tile<T, 32, 16, 2>},
  };
  for (Row const& row : rows) {
    if (row.width == p.width && row.height == p.height && row.pad == p.pad) return row.kernel;
  }
  return nullptr;
}

/// find(Tag<T>) for the element type of the case.
template <class Find>
Kernel with_element(NativeContext const& context, Find const& find) {
  return with_type<std::int32_t, float, double>(context.type, [&](auto type) -> Kernel { return find(type); });
}

NativeKernel launcher(NativeContext const& context, Arguments const& p, Kernel kernel, std::size_t shared) {
  cudaStream_t const stream = stream_of(context.exec);
  CycleCount const cycles;
  NativeKernel native;
  native.run = [=] {
    kernel<<<1, dim3(p.width, p.height), shared, stream>>>(p, cycles.data());
    check(cudaGetLastError(), "tile_access");
  };
  native.measure = cycles.per_operation(p.repeat);
  return native;
}

NativeKernel launch_static(NativeContext const& context, Arguments const& p) {
  Kernel const kernel = with_element(context, [&](auto type) { return find_static<typename decltype(type)::type>(p); });
  if (kernel == nullptr)
    return no_kernel(SkipReason::not_applicable, "built in for tiles of 32x32 and 32x16, with a pad of 0, 1 or 2");
  return launcher(context, p, kernel, 0);
}

NativeKernel launch_dynamic(NativeContext const& context, Arguments const& p) {
  int const most_threads = attribute_of(context.exec, cudaDevAttrMaxThreadsPerBlock);
  if (p.width * p.height > most_threads)
    return no_kernel(SkipReason::limit,
                     fmt::format("needs blocks of {} threads; the largest has {}", p.width * p.height, most_threads));
  int const most_shared = attribute_of(context.exec, cudaDevAttrMaxSharedMemoryPerBlockOptin);
  auto const shared = static_cast<int>(size_of(context.type)) * (p.width + p.pad) * p.height;
  if (shared > most_shared)
    return no_kernel(SkipReason::limit, fmt::format("needs {} of shared memory; a block has {}", short_bytes(shared),
                                                    short_bytes(most_shared)));
  Kernel const kernel = with_element(context, [](auto type) { return dynamic_tile<typename decltype(type)::type>; });
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most_shared), "cudaFuncSetAttribute");
  return launcher(context, p, kernel, static_cast<std::size_t>(shared));
}

}  // namespace

Launchers Launchers::on_device() {
  Launchers table;
  table.static_tile = launch_static;
  table.dynamic_tile = launch_dynamic;
  return table;
}

}  // namespace tilestride::tile_access
