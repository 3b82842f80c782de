// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace tilestride::cuda {

/// How a product of f64 is made of products of integers (patterns/matmul/residues.hpp).
struct Integers {
  int moduli, bits;
  std::int64_t depth;  ///< K, rounded up to what the units take at a time: zeros are behind the last element
};

Integers integers_of(int moduli, std::int64_t k);

/// Of each row of x (rows x k) the exponent of its largest element, biased as in the format, and for each modulus the
/// remainders of the row's integers: [moduli][rows][depth].
void split_rows(cudaStream_t stream, double const* x, std::int64_t rows, std::int64_t k, Integers const& integers,
                int* exponents, std::int8_t* remainders);

/// The same of each column of x (k x columns): [moduli][columns][depth].
void split_columns(cudaStream_t stream, double const* x, std::int64_t k, std::int64_t columns, Integers const& integers,
                   int* exponents, std::int8_t* remainders);

/// c (m x n) of the products of remainders, [moduli][rows][pitch].
void join(cudaStream_t stream, std::int32_t const* products, std::int64_t rows, std::int64_t pitch, std::int64_t m,
          std::int64_t n, Integers const& integers, int const* row_exponents, int const* column_exponents, double* c);

}  // namespace tilestride::cuda
