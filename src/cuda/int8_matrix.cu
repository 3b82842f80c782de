// SPDX-License-Identifier: BSD-3-Clause
// For products of the library on remainders of 8 bits.
#include "cuda/check.hpp"
#include "cuda/int8_matrix.hpp"
#include "patterns/matmul/residues.hpp"
#include "portable/dispatch.hpp"

namespace tilestride::cuda {
namespace {

constexpr int threads = 256;
constexpr int together = 8;                     // elements of a thread, side by side in K
constexpr int tile_k = 128, tile_columns = 16;  // of a block of split_columns
constexpr int bias = 1023;

__host__ __device__ unsigned blocks_for(std::int64_t count, int each) {
  return static_cast<unsigned>((count + each - 1) / each);
}

__device__ int biased_exponent(double x) { return static_cast<int>(__double_as_longlong(x) >> 52) & 0x7ff; }

/// 2^exponent, or the next number that is one.
__device__ double power_of_two(int exponent) {
  return __longlong_as_double(static_cast<long long>(min(max(exponent + bias, 1), 2046)) << 52);
}

/// What numbers with that largest exponent are multiplied by to become integers of so many bits: 2 to that power.
__device__ int power_to_integers(int bits, int largest) { return bits - 1 - (largest - bias); }

__device__ int most_of_warp(int x) {
  for (int i = 16; i > 0; i /= 2) x = max(x, __shfl_xor_sync(~0u, x, i));
  return x;
}

__global__ void largest_of_rows(double const* __restrict__ x, std::int64_t k, int* __restrict__ exponents) {
  double const* const row = x + blockIdx.x * k;
  int most = 0;
  for (std::int64_t i = threadIdx.x; i < k; i += threads) most = max(most, biased_exponent(row[i]));
  most = most_of_warp(most);
  if (threadIdx.x % 32 == 0) atomicMax(exponents + blockIdx.x, most);
}

__global__ void largest_of_columns(double const* __restrict__ x, std::int64_t k, std::int64_t columns,
                                   int* __restrict__ exponents) {
  std::int64_t const column = std::int64_t(blockIdx.x) * 32 + threadIdx.x;
  if (column >= columns) return;
  int most = 0;
  for (std::int64_t i = blockIdx.y * blockDim.y + threadIdx.y; i < k; i += gridDim.y * blockDim.y)
    most = max(most, biased_exponent(x[i * columns + column]));
  atomicMax(exponents + column, most);
}

/// The remainders of eight integers, for each modulus in one piece; `apart`: bytes from one modulus to the next.
template <int moduli>
__device__ void store_remainders(double const (&whole)[together], std::int8_t* to, std::int64_t apart) {
  constexpr matmul::Moduli<moduli> basis;
#pragma unroll
  for (int i = 0; i < moduli; ++i) {
    union {
      std::int8_t byte[together];
      uint2 all;
    } packed;
#pragma unroll
    for (int j = 0; j < together; ++j)
      packed.byte[j] = static_cast<std::int8_t>(matmul::remainder(whole[j], basis.weight[i].modulus));
    *reinterpret_cast<uint2*>(to + i * apart) = packed.all;
  }
}

template <int moduli>
__global__ void __launch_bounds__(threads)
    split_rows_kernel(double const* __restrict__ x, std::int64_t k, std::int64_t depth, int bits,
                      int const* __restrict__ exponents, std::int8_t* __restrict__ remainders) {
  std::int64_t const row = blockIdx.x, first = (std::int64_t(blockIdx.y) * threads + threadIdx.x) * together;
  if (first >= depth) return;
  double const scale = power_of_two(power_to_integers(bits, exponents[row]));
  double whole[together];
#pragma unroll
  for (int j = 0; j < together; ++j) whole[j] = first + j < k ? rint(x[row * k + first + j] * scale) : 0;
  store_remainders<moduli>(whole, remainders + row * depth + first, gridDim.x * depth);
}

/// Through a tile in shared memory, since neighbours in a row of x go to rows of their own.
template <int moduli>
__global__ void __launch_bounds__(threads)
    split_columns_kernel(double const* __restrict__ x, std::int64_t k, std::int64_t columns, std::int64_t depth,
                         int bits, int const* __restrict__ exponents, std::int8_t* __restrict__ remainders) {
  __shared__ double tile[tile_columns][tile_k + 1];
  std::int64_t const left = std::int64_t(blockIdx.x) * tile_columns, top = std::int64_t(blockIdx.y) * tile_k;
  for (int i = threadIdx.x; i < tile_columns * tile_k; i += threads) {
    int const column = i % tile_columns, row = i / tile_columns;
    tile[column][row] = left + column < columns && top + row < k ? x[(top + row) * columns + left + column] : 0;
  }
  __syncthreads();
  int const own = static_cast<int>(threadIdx.x) / (tile_k / together);
  int const first = static_cast<int>(threadIdx.x) % (tile_k / together) * together;
  if (left + own >= columns || top + first >= depth) return;
  double const scale = power_of_two(power_to_integers(bits, exponents[left + own]));
  double whole[together];
#pragma unroll
  for (int j = 0; j < together; ++j) whole[j] = rint(tile[own][first + j] * scale);
  store_remainders<moduli>(whole, remainders + (left + own) * depth + top + first, columns * depth);
}

template <int moduli>
__global__ void __launch_bounds__(threads)
    join_kernel(std::int32_t const* __restrict__ products, std::int64_t apart, std::int64_t pitch, std::int64_t n,
                int bits, int const* __restrict__ row_exponents, int const* __restrict__ column_exponents,
                double* __restrict__ c) {
  constexpr matmul::Moduli<moduli> basis;
  unsigned const across = blocks_for(n, threads * 4);
  std::int64_t const row = blockIdx.x / across, first = (blockIdx.x % across * threads + threadIdx.x) * 4;
  if (first >= n) return;
  int4 product[moduli];
#pragma unroll
  for (int i = 0; i < moduli; ++i)
    product[i] = __ldcs(reinterpret_cast<int4 const*>(products + i * apart + row * pitch + first));
  double const of_row = power_of_two(basis.unit - power_to_integers(bits, row_exponents[row]));
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    if (first + j >= n) break;
    double const whole = matmul::whole_of<moduli>([&](int i) {
      return j == 0 ? product[i].x : j == 1 ? product[i].y : j == 2 ? product[i].z : product[i].w;
    });
    double const of_column = power_of_two(-power_to_integers(bits, column_exponents[first + j]));
    c[row * n + first + j] = whole * of_row * of_column;
  }
}

}  // namespace

Integers integers_of(int moduli, std::int64_t k) {
  int const bits = with_int(matmul::ModuliCounts{}, moduli,
                            [&](auto count) { return matmul::Moduli<decltype(count)::value>::bits(k); });
  return {moduli, bits, padded(k)};
}

void split_rows(cudaStream_t stream, double const* x, std::int64_t rows, std::int64_t k, Integers const& integers,
                int* exponents, std::int8_t* remainders) {
  check(cudaMemsetAsync(exponents, 0, static_cast<std::size_t>(rows) * sizeof(int), stream), "cudaMemsetAsync");
  largest_of_rows<<<static_cast<unsigned>(rows), threads, 0, stream>>>(x, k, exponents);
  dim3 const grid(static_cast<unsigned>(rows), blocks_for(integers.depth, threads * together));
  with_int(matmul::ModuliCounts{}, integers.moduli, [&](auto moduli) {
    split_rows_kernel<decltype(moduli)::value>
        <<<grid, threads, 0, stream>>>(x, k, integers.depth, integers.bits, exponents, remainders);
  });
  check(cudaGetLastError(), "split_rows");
}

void split_columns(cudaStream_t stream, double const* x, std::int64_t k, std::int64_t columns, Integers const& integers,
                   int* exponents, std::int8_t* remainders) {
  check(cudaMemsetAsync(exponents, 0, static_cast<std::size_t>(columns) * sizeof(int), stream), "cudaMemsetAsync");
  largest_of_columns<<<dim3(blocks_for(columns, 32), 16), dim3(32, 8), 0, stream>>>(x, k, columns, exponents);
  dim3 const grid(blocks_for(columns, tile_columns), blocks_for(integers.depth, tile_k));
  with_int(matmul::ModuliCounts{}, integers.moduli, [&](auto moduli) {
    split_columns_kernel<decltype(moduli)::value>
        <<<grid, threads, 0, stream>>>(x, k, columns, integers.depth, integers.bits, exponents, remainders);
  });
  check(cudaGetLastError(), "split_columns");
}

void join(cudaStream_t stream, std::int32_t const* products, std::int64_t m, std::int64_t n, Integers const& integers,
          int const* row_exponents, int const* column_exponents, double* c) {
  auto const blocks = static_cast<unsigned>(m) * blocks_for(n, threads * 4);
  with_int(matmul::ModuliCounts{}, integers.moduli, [&](auto moduli) {
    join_kernel<decltype(moduli)::value><<<blocks, threads, 0, stream>>>(
        products, padded(m) * padded(n), padded(n), n, integers.bits, row_exponents, column_exponents, c);
  });
  check(cudaGetLastError(), "join");
}

}  // namespace tilestride::cuda
