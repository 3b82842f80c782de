// SPDX-License-Identifier: BSD-3-Clause
// For products of the library on what was split beforehand.
#include "cuda/check.hpp"
#include "cuda/split.hpp"
#include "cuda/split_matrix.hpp"

namespace tilestride::cuda {
namespace {

__global__ void split_elements(float const* __restrict__ x, float* __restrict__ high, float* __restrict__ low,
                               std::int64_t elements) {
  std::int64_t const i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= elements) return;
  std::uint32_t piece = __float_as_uint(x[i]), left;
  split(piece, left);
  high[i] = __uint_as_float(piece);
  low[i] = __uint_as_float(left);
}

}  // namespace

void split(cudaStream_t stream, float const* x, float* high, float* low, std::int64_t elements) {
  constexpr int threads = 256;
  split_elements<<<static_cast<unsigned>((elements + threads - 1) / threads), threads, 0, stream>>>(x, high, low,
                                                                                                    elements);
  check(cudaGetLastError(), "split_elements");
}

}  // namespace tilestride::cuda
