// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The probe of a sum of products, Σ_k A[i][k]·B[k][j]: one operand has a single element in each row (A) or column (B),
// a power of two. Then every sum is an element of the other operand times that power, exactly, in any order of
// summation and with all of its bits.

#include "portable/values.hpp"

namespace tilestride {

struct Selection {
  std::int64_t count, depth;  ///< rows of A or columns of B; terms of a sum

  /// Where row or column i has its element: the last one first, then spread over the depth.
  KOKKOS_FUNCTION std::int64_t place(std::int64_t i) const {
    std::int64_t const step = depth > count ? depth / count : 1;
    return depth - 1 - i * step % depth;
  }
  template <class T>
  KOKKOS_FUNCTION static T power(std::int64_t i) {
    return static_cast<T>(1 << scramble(static_cast<std::uint64_t>(i)) % 8);
  }
};

/// Element i of A, rows x depth, or of B, depth x columns.
template <class T>
struct Selects {
  Selection selection;
  bool columns;  ///< it is B
  KOKKOS_FUNCTION T operator()(std::int64_t i) const {
    std::int64_t const width = columns ? selection.count : selection.depth;
    std::int64_t const which = columns ? i % width : i / width, k = columns ? i / width : i % width;
    return k == selection.place(which) ? Selection::power<T>(which) : T(0);
  }
};

}  // namespace tilestride
