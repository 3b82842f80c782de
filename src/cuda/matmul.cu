// SPDX-License-Identifier: BSD-3-Clause
// The tutorials' products in raw CUDA: one block a tile of C, one thread an element, any M, N and K. Tiles at the edge
// are filled up with zeros, and no thread leaves before a barrier.
#include "cuda/native.hpp"
#include "cuda/product.hpp"

namespace tilestride::cuda {
namespace {

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

/// A warp is a whole number of rows of the tile and reads no others: it has to wait for nobody but itself.
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

struct Simple {
  template <int Tile, class T>
  static auto kernel() {
    return simple<Tile, T>;
  }
};
struct Coalesced {
  template <int Tile, class T>
  static auto kernel() {
    return coalesced<Tile, T>;
  }
};
struct Shared {
  template <int Tile, class T>
  static auto kernel() {
    return shared<Tile, T>;
  }
};

}  // namespace

NativeKernel matmul_simple(NativeContext const& context, MatmulArguments const& p) {
  return launch_product<Simple>(context, p.m, p.n, p.a, p.b, p.c, p.m, p.n, p.k);
}

NativeKernel matmul_coalesced(NativeContext const& context, MatmulArguments const& p) {
  return launch_product<Coalesced>(context, p.m, p.n, p.a, p.b, p.c, p.m, p.n, p.k);
}

NativeKernel matmul_shared(NativeContext const& context, MatmulArguments const& p) {
  return launch_product<Shared>(context, p.m, p.n, p.a, p.b, p.c, p.m, p.n, p.k);
}

}  // namespace tilestride::cuda
