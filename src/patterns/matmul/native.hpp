// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "portable/native.hpp"

namespace tilestride::matmul {

/// What a native or library product works on: C = A·B, all row-major and contiguous.
struct Arguments {
  void const* a;  ///< M x K
  void const* b;  ///< K x N
  void* c;        ///< M x N
  std::int64_t m, n, k;
  int tile;    ///< edge, one of ProductTiles; 0 where the variant has none
  int moduli;  ///< of an f64 product by integers, one of ModuliCounts; 0 where the variant has none
};

struct Launchers {
  Launcher<Arguments> simple = nullptr, coalesced = nullptr, shared = nullptr, vendor = nullptr;
  Launcher<Arguments> tensor = nullptr;                                  ///< on matrix units, of the case's own type
  Launcher<Arguments> tensor_3xtf32 = nullptr, vendor_3xtf32 = nullptr;  ///< of f32, which they split
  Launcher<Arguments> vendor_int8 = nullptr;                             ///< of f64, by remainders of integers
  Launcher<Arguments> tensor_tf32 = nullptr, tensor_bf16 = nullptr, vendor_tf32 = nullptr,
                      vendor_bf16 = nullptr;  ///< of A and B rounded, as rounded.hpp stores them
  static Launchers on_device();
  static Launchers on_host();
};

}  // namespace tilestride::matmul
