// SPDX-License-Identifier: BSD-3-Clause
// The tutorials' products in raw CUDA: one block per tile of C, one thread per element, any M, N and K. Tiles at the
// edge are filled up with zeros, and no thread leaves before a barrier.
#include "cuda/blas.hpp"
#include "cuda/product.hpp"
#include "cuda/tensor_launchers.hpp"
#include "patterns/matmul/native.hpp"

namespace tilestride::matmul {
namespace {

using namespace cuda;

template <int Tile, class T>
__global__ void __launch_bounds__(Tile* Tile)
    simple(T const* __restrict__ a, T const* __restrict__ b, T* __restrict__ c, std::int64_t m, std::int64_t n,
           std::int64_t k) {
  Place<Tile> const at(n);
  std::int64_t const row = at.row + threadIdx.y;
  std::int64_t const col = at.col + threadIdx.x;
  if (row >= m || col >= n) return;
  T const* const a_row = a + row * k;
  T const* const b_column = b + col;
  T sum = 0;
  for (std::int64_t i = 0; i < k; ++i) sum += a_row[i] * b_column[i * n];
  c[row * n + col] = sum;
}

/// A warp is a whole number of rows of the tile and reads no others: a barrier of the warp is enough.
template <int Tile, class T>
__global__ void __launch_bounds__(Tile* Tile)
    coalesced(T const* __restrict__ a, T const* __restrict__ b, T* __restrict__ c, std::int64_t m, std::int64_t n,
              std::int64_t k) {
  static_assert(32 % Tile == 0);
  __shared__ T a_tile[Tile][Tile];
  int const x = threadIdx.x;
  int const y = threadIdx.y;
  Place<Tile> const at(n);
  std::int64_t const row = at.row + y;
  std::int64_t const col = at.col + x;
  T sum = 0;
  for (std::int64_t k0 = 0; k0 < k; k0 += Tile) {
    a_tile[y][x] = row < m && k0 + x < k ? a[row * k + k0 + x] : T(0);
    __syncwarp();
    if (col < n && k0 + Tile <= k) {
#pragma unroll
      for (int i = 0; i < Tile; ++i) sum += a_tile[y][i] * b[(k0 + i) * n + col];
    } else if (col < n) {
      for (int i = 0; k0 + i < k; ++i) sum += a_tile[y][i] * b[(k0 + i) * n + col];
    }
    __syncwarp();
  }
  if (row < m && col < n) c[row * n + col] = sum;
}

template <int Tile, class T>
__global__ void __launch_bounds__(Tile* Tile)
    shared(T const* __restrict__ a, T const* __restrict__ b, T* __restrict__ c, std::int64_t m, std::int64_t n,
           std::int64_t k) {
  __shared__ T a_tile[Tile][Tile];
  __shared__ T b_tile[Tile][Tile];
  int const x = threadIdx.x;
  int const y = threadIdx.y;
  Place<Tile> const at(n);
  std::int64_t const row = at.row + y;
  std::int64_t const col = at.col + x;
  T sum = 0;
  for (std::int64_t k0 = 0; k0 < k; k0 += Tile) {
    T const from_a = row < m && k0 + x < k ? a[row * k + k0 + x] : T(0);
    T const from_b = k0 + y < k && col < n ? b[(k0 + y) * n + col] : T(0);
    a_tile[y][x] = from_a;
    b_tile[y][x] = from_b;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < Tile; ++i) sum += a_tile[y][i] * b_tile[i][x];
    __syncthreads();
  }
  if (row < m && col < n) c[row * n + col] = sum;
}

template <class T>
using Kernel = void (*)(T const*, T const*, T*, std::int64_t, std::int64_t, std::int64_t);

template <int Tile, class T>
NativeKernel launcher(NativeContext const& context, Kernel<T> kernel, Arguments const& p) {
  return launch_product<Tile>(context, p.m, p.n, kernel, static_cast<T const*>(p.a), static_cast<T const*>(p.b),
                              static_cast<T*>(p.c), p.m, p.n, p.k);
}

NativeKernel launch_simple(NativeContext const& context, Arguments const& p) {
  return with_product_tile(context, p.tile, [&](auto type, auto tile) {
    using T = typename decltype(type)::type;
    constexpr int Tile = decltype(tile)::value;
    return launcher<Tile, T>(context, simple<Tile, T>, p);
  });
}

NativeKernel launch_coalesced(NativeContext const& context, Arguments const& p) {
  return with_product_tile(context, p.tile, [&](auto type, auto tile) {
    using T = typename decltype(type)::type;
    constexpr int Tile = decltype(tile)::value;
    return launcher<Tile, T>(context, coalesced<Tile, T>, p);
  });
}

NativeKernel launch_shared(NativeContext const& context, Arguments const& p) {
  return with_product_tile(context, p.tile, [&](auto type, auto tile) {
    using T = typename decltype(type)::type;
    constexpr int Tile = decltype(tile)::value;
    return launcher<Tile, T>(context, shared<Tile, T>, p);
  });
}

}  // namespace

Launchers Launchers::on_device() {
  Launchers table;
  table.simple = launch_simple;
  table.coalesced = launch_coalesced;
  table.shared = launch_shared;
  table.vendor = gemm;
  table.tensor = launch_tensor_f64;
  table.tensor_3xtf32 = launch_tensor_3xtf32;
  table.tensor_tf32 = launch_tensor_tf32;
  table.tensor_bf16 = launch_tensor_bf16;
  table.vendor_3xtf32 = gemm_3xtf32;
  table.vendor_int8 = gemm_int8;
  table.vendor_tf32 = gemm_tf32;
  table.vendor_bf16 = gemm_bf16;
  return table;
}

}  // namespace tilestride::matmul
