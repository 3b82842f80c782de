// SPDX-License-Identifier: BSD-3-Clause
// The tutorial's A·Aᵀ in raw CUDA: one block a tile of C, one thread an element, any M and K. Tiles at the edge are
// filled up with zeros, and no thread leaves before a barrier.
#include "cuda/native.hpp"
#include "cuda/product.hpp"

namespace tilestride::cuda {
namespace {

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

/// A warp is a whole number of rows of the tile and reads no others: it has to wait for nobody but itself.
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

struct Simple {
  template <int Tile, class T>
  static auto kernel() {
    return simple<Tile, T>;
  }
};
struct RowTile {
  template <int Tile, class T>
  static auto kernel() {
    return row_tile<Tile, T>;
  }
};
struct Coalesced {
  template <int Tile, class T>
  static auto kernel() {
    return both_tiles<Tile, 0, T>;
  }
};
struct Padded {
  template <int Tile, class T>
  static auto kernel() {
    return both_tiles<Tile, 1, T>;
  }
};

}  // namespace

NativeKernel aat_simple(NativeContext const& context, AatArguments const& p) {
  return launch_product<Simple>(context, p.m, p.m, p.a, p.c, p.m, p.k);
}

NativeKernel aat_row_tile(NativeContext const& context, AatArguments const& p) {
  return launch_product<RowTile>(context, p.m, p.m, p.a, p.c, p.m, p.k);
}

NativeKernel aat_coalesced(NativeContext const& context, AatArguments const& p) {
  return launch_product<Coalesced>(context, p.m, p.m, p.a, p.c, p.m, p.k);
}

NativeKernel aat_padded(NativeContext const& context, AatArguments const& p) {
  return launch_product<Padded>(context, p.m, p.m, p.a, p.c, p.m, p.k);
}

}  // namespace tilestride::cuda
