// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// An f32 as the sum of two numbers of TF32, which have 10 bits of mantissa: exact, except that the last bit may be
// lost.

#include <cuda_runtime.h>

#include <cstdint>

namespace tilestride::cuda {

/// To nearest, halves away from 0.
__device__ inline std::uint32_t in_tf32(std::uint32_t x) { return (x + (1u << 12)) & ~((1u << 13) - 1); }

/// x becomes its high piece, `low` what is left.
__device__ inline void split(std::uint32_t& x, std::uint32_t& low) {
  std::uint32_t const high = in_tf32(x);
  low = in_tf32(__float_as_uint(__uint_as_float(x) - __uint_as_float(high)));
  x = high;
}

}  // namespace tilestride::cuda
