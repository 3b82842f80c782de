// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Products of TF32 on Hopper's matrix units. Of 32-bit types these read only K-major operands from shared memory, and
// the rows of B run along N. So the product is turned, Ct = Bt At: Bt is read into registers, At is A as it lies in
// memory.

#include "cuda/tensor_launch.hpp"

namespace tilestride::cuda {

/// Which column of B each row of the units' 64-row operand is, of 64 columns in two boxes. Any order will do for the
/// product; this one has a lane's two rows next to each other in memory, one load of 8 bytes, and half a warp's loads
/// in different banks: its lanes lie in chunks of 16 bytes whose numbers differ in bit 2, and the swizzle has the four
/// rows of B, lanes % 4, differ in bits 0 and 1.
struct TurnedColumns {
  int column;  ///< the first of two
  int row;     ///< of At, in eight: the first of two
  int near;    ///< bytes from row 8 i of the boxes to the two columns in row 8 i + lane % 4

  /// thread: of the warpgroup.
  __device__ explicit TurnedColumns(int thread) {
    int const warp = thread / 32, lane = thread % 32, g = lane / 4, k = lane % 4, box = warp / 2;
    int const inside = (g & 1) * 2 + (g >> 2) * 4 + (warp & 1) * 8 + (g >> 1 & 1) * 16;
    column = box * 32 + inside;
    row = k * 2;
    near = box * 32 * 128 + k * 128 + ((inside / 4) ^ k) * 16 + (g & 1) * 8;
  }

  /// This thread's part of rows 8 i to 8 i + 7 of the two boxes.
  __device__ void load(std::uint32_t (&x)[4], float const (*boxes)[32][32], int i) const {
    auto const* const from = reinterpret_cast<unsigned char const*>(boxes) + i * 8 * 128;
    uint2 const first = *reinterpret_cast<uint2 const*>(from + near);
    uint2 const second = *reinterpret_cast<uint2 const*>(from + (near ^ 4 * 16) + 4 * 128);  // row 8 i + lane % 4 + 4
    x[0] = first.x, x[1] = first.y, x[2] = second.x, x[3] = second.y;
  }

  /// 32 bytes of a thread's sums, the i-th: of two rows in each of two eights of rows from `top`, in two of the 64
  /// columns of C from `left`.
  __device__ void store(float const* sums, int i, float* c, int top, int left, int m, int n) const {
    int const to_column = left + column;
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      float const* const d = sums + j / 2 * 4 + j % 2;
      int const to_row = top + row + 8 * (2 * i + j / 2) + j % 2;
      if (to_row < m && to_column < n)
        *reinterpret_cast<float2*>(c + std::int64_t(to_row) * n + to_column) = {d[0], d[2]};
    }
  }
};

}  // namespace tilestride::cuda
