// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What the products on Hopper's matrix units share: the order of the tiles, and the launch of one block a
// multiprocessor that takes tile after tile.

#include <fmt/format.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <limits>

#include "cuda/hopper.hpp"
#include "harness/native.hpp"
#include "patterns/matmul/native.hpp"

namespace tilestride::cuda {

/// Tiles of C, counted in bands of eight rows of tiles, column by column: those that are under way at the same time
/// then share rows of A and columns of B in L2.
struct TensorTiles {
  static constexpr int band = 8;
  int down, across;

  __host__ __device__ int count() const { return down * across; }
  /// Which row of tiles (x) and which column of them (y).
  __device__ int2 operator[](int tile) const {
    int const first = tile / (band * across) * band;
    int const height = min(band, down - first);
    int const inside = tile % (band * across);
    return {first + inside % height, inside / height};
  }
};

__host__ __device__ inline int divided_up(std::int64_t n, int by) { return static_cast<int>((n + by - 1) / by); }

/// Why Hopper's units cannot make this product; empty: they can.
inline std::string why_no_tensor(MatmulArguments const& p, int element) {
  int device = 0, major = 0, minor = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device), "cudaDeviceGetAttribute");
  check(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device), "cudaDeviceGetAttribute");
  if (major != 9 || minor != 0)
    return fmt::format("built for compute capability 9.0 alone; this device has {}.{}", major, minor);
  if (p.k * element % 16 != 0 || p.n * element % 16 != 0)
    return fmt::format("the copy engine needs rows of whole 16 bytes: K and N in multiples of {}", 16 / element);
  if (std::max({p.m, p.n, p.k}) > std::numeric_limits<int>::max() - 256)
    return "the copy engine counts rows and columns in 32 bits";
  return "";
}

template <class T>
using TensorProduct = void (*)(CUtensorMap, CUtensorMap, T*, int, int, int);

template <class T>
NativeKernel launcher_of(NativeContext const& context, TensorProduct<T> product, int threads, int shared,
                         TensorTiles tiles, CUtensorMap const& a, CUtensorMap const& b, MatmulArguments const& p) {
  check(cudaFuncSetAttribute(product, cudaFuncAttributeMaxDynamicSharedMemorySize, shared), "cudaFuncSetAttribute");
  Kokkos::Cuda const exec = *static_cast<Kokkos::Cuda const*>(context.exec);
  int const blocks = std::min(exec.cuda_device_prop().multiProcessorCount, tiles.count());
  NativeKernel native;
  native.run = [=] {
    product<<<blocks, threads, shared, exec.cuda_stream()>>>(a, b, static_cast<T*>(p.c), static_cast<int>(p.m),
                                                             static_cast<int>(p.n), static_cast<int>(p.k));
    check(cudaGetLastError(), "a product on matrix units");
  };
  return native;
}

}  // namespace tilestride::cuda
