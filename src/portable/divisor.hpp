// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Macros.hpp>
#include <cstdint>

namespace tilestride {

/// Divides by a number that is known at launch: a product and a shift, where the compiler's division by a variable
/// takes about 35 instructions, one after the other. After T. Granlund and P. Montgomery, "Division by Invariant
/// Integers using Multiplication", 1994: with 2^(s-1) < d <= 2^s the multiplier is 2^(31+s) / d, rounded up.
struct Divisor {
  int by;  ///< 1 or more
  std::uint32_t multiplier;
  int shift = 31;  ///< 31 + s

  explicit Divisor(int divisor) : by(divisor) {
    auto const d = static_cast<std::uint64_t>(divisor);
    while (std::uint64_t(1) << (shift - 31) < d) ++shift;
    multiplier = static_cast<std::uint32_t>(((std::uint64_t(1) << shift) + d - 1) / d);
  }
  /// value / by, of a value that is not negative.
  KOKKOS_FUNCTION int quotient(int value) const {
    return static_cast<int>(std::uint64_t(static_cast<unsigned>(value)) * multiplier >> shift);
  }
};

}  // namespace tilestride
