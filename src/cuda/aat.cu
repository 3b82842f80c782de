// SPDX-License-Identifier: BSD-3-Clause
// The tutorial's A·Aᵀ in raw CUDA: one block per tile of C, one thread per element, any M and K. Tiles at the edge are
// filled up with zeros, and no thread leaves before a barrier.
#include "cuda/blas.hpp"
#include "cuda/product.hpp"
#include "patterns/aat/native.hpp"

namespace tilestride::aat {
namespace {

using namespace cuda;

/// Lanes have neighbouring columns of C: the rows of A that they read are K apart.
template <int Tile, class T>
__global__ void __launch_bounds__(Tile* Tile)
    simple(T const* __restrict__ a, T* __restrict__ c, std::int64_t m, std::int64_t k) {
  Place<Tile> const at(m);
  std::int64_t const row = at.row + threadIdx.y;
  std::int64_t const col = at.col + threadIdx.x;
  if (row >= m || col >= m) return;
  T const* const left = a + row * k;
  T const* const right = a + col * k;
  T sum = 0;
  for (std::int64_t i = 0; i < k; ++i) sum += left[i] * right[i];
  c[row * m + col] = sum;
}

/// A warp is a whole number of rows of the tile and reads no others: a barrier of the warp is enough.
template <int Tile, class T>
__global__ void __launch_bounds__(Tile* Tile)
    row_tile(T const* __restrict__ a, T* __restrict__ c, std::int64_t m, std::int64_t k) {
  static_assert(32 % Tile == 0);
  __shared__ T rows_tile[Tile][Tile];
  Place<Tile> const at(m);
  int const x = threadIdx.x;
  int const y = threadIdx.y;
  bool const has_column = at.col + x < m;
  T const* const right = a + (at.col + x) * k;  // beyond A where there is no column
  T sum = 0;
  for (std::int64_t k0 = 0; k0 < k; k0 += Tile) {
    rows_tile[y][x] = at.row + y < m && k0 + x < k ? a[(at.row + y) * k + k0 + x] : T(0);
    __syncwarp();
    if (has_column && k0 + Tile <= k) {
#pragma unroll
      for (int i = 0; i < Tile; ++i) sum += rows_tile[y][i] * right[k0 + i];
    } else if (has_column) {
      for (int i = 0; k0 + i < k; ++i) sum += rows_tile[y][i] * right[k0 + i];
    }
    __syncwarp();
  }
  if (at.row + y < m && has_column) c[(at.row + y) * m + at.col + x] = sum;
}

/// Both tiles are loaded along rows of A; the second is turned while it is stored.
template <int Tile, int Pad, class T>
__global__ void __launch_bounds__(Tile* Tile)
    both_tiles(T const* __restrict__ a, T* __restrict__ c, std::int64_t m, std::int64_t k) {
  __shared__ T rows_tile[Tile][Tile];
  __shared__ T columns_tile[Tile][Tile + Pad];
  Place<Tile> const at(m);
  int const x = threadIdx.x;
  int const y = threadIdx.y;
  T sum = 0;
  for (std::int64_t k0 = 0; k0 < k; k0 += Tile) {
    T const left = at.row + y < m && k0 + x < k ? a[(at.row + y) * k + k0 + x] : T(0);
    T const right = at.col + y < m && k0 + x < k ? a[(at.col + y) * k + k0 + x] : T(0);
    rows_tile[y][x] = left;
    columns_tile[x][y] = right;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < Tile; ++i) sum += rows_tile[y][i] * columns_tile[i][x];
    __syncthreads();
  }
  if (at.row + y < m && at.col + x < m) c[(at.row + y) * m + at.col + x] = sum;
}

template <class T>
using Kernel = void (*)(T const*, T*, std::int64_t, std::int64_t);

template <int Tile, class T>
NativeKernel launcher(NativeContext const& context, Kernel<T> kernel, Arguments const& p) {
  return launch_product<Tile>(context, p.m, p.m, kernel, static_cast<T const*>(p.a), static_cast<T*>(p.c), p.m, p.k);
}

NativeKernel launch_simple(NativeContext const& context, Arguments const& p) {
  return with_product_tile(context, p.tile, [&](auto type, auto tile) {
    using T = typename decltype(type)::type;
    constexpr int Tile = decltype(tile)::value;
    return launcher<Tile, T>(context, simple<Tile, T>, p);
  });
}

NativeKernel launch_row_tile(NativeContext const& context, Arguments const& p) {
  return with_product_tile(context, p.tile, [&](auto type, auto tile) {
    using T = typename decltype(type)::type;
    constexpr int Tile = decltype(tile)::value;
    return launcher<Tile, T>(context, row_tile<Tile, T>, p);
  });
}

NativeKernel launch_coalesced(NativeContext const& context, Arguments const& p) {
  return with_product_tile(context, p.tile, [&](auto type, auto tile) {
    using T = typename decltype(type)::type;
    constexpr int Tile = decltype(tile)::value;
    return launcher<Tile, T>(context, both_tiles<Tile, 0, T>, p);
  });
}

NativeKernel launch_padded(NativeContext const& context, Arguments const& p) {
  return with_product_tile(context, p.tile, [&](auto type, auto tile) {
    using T = typename decltype(type)::type;
    constexpr int Tile = decltype(tile)::value;
    return launcher<Tile, T>(context, both_tiles<Tile, 1, T>, p);
  });
}

}  // namespace

Launchers Launchers::on_device() {
  Launchers table;
  table.simple = launch_simple;
  table.row_tile = launch_row_tile;
  table.coalesced = launch_coalesced;
  table.padded = launch_padded;
  table.vendor = gemm_with_itself;
  return table;
}

}  // namespace tilestride::aat
