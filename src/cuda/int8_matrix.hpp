// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace tilestride::cuda {

/// An extent of a product of integers, rounded up: the units are slow where it is no multiple of 16. What is beyond it
/// is computed too, of whatever lies there, and not read.
constexpr std::int64_t padded(std::int64_t extent) { return (extent + 15) / 16 * 16; }

/// How a product of f64 is made of products of integers (patterns/matmul/residues.hpp).
struct Integers {
  int moduli, bits;
  std::int64_t depth;  ///< K, padded: zeros are behind the last element
};

Integers integers_of(int moduli, std::int64_t k);

/// Of each row of x (rows x k) the exponent of its largest element, biased as in the format, and for each modulus the
/// remainders of the row's integers: [moduli][rows][depth].
void split_rows(cudaStream_t stream, double const* x, std::int64_t rows, std::int64_t k, Integers const& integers,
                int* exponents, std::int8_t* remainders);

/// The same of each column of x (k x columns): [moduli][columns][depth].
void split_columns(cudaStream_t stream, double const* x, std::int64_t k, std::int64_t columns, Integers const& integers,
                   int* exponents, std::int8_t* remainders);

/// c (m x n) of the products of remainders, [moduli][padded m][padded n].
void join(cudaStream_t stream, std::int32_t const* products, std::int64_t m, std::int64_t n, Integers const& integers,
          int const* row_exponents, int const* column_exponents, double* c);

}  // namespace tilestride::cuda
