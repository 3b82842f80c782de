// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Macros.hpp>
#include <cstdint>

namespace tilestride::latency {

/// The chain in registers: each value is one multiply-add of the value before it, modulo 2^32. No two of these can be
/// made one instruction, as two additions can.
struct MultiplyAdd {
  std::uint32_t factor, term;
  KOKKOS_FUNCTION std::uint32_t operator()(std::uint32_t x) const { return factor * x + term; }

  /// What as many of them do to 0, by other means: two times as many are one with factor² and term·(factor + 1).
  std::uint32_t after(std::int64_t steps) const {
    std::uint32_t value = 0;
    for (MultiplyAdd power = *this; steps > 0; steps /= 2) {
      if (steps % 2 == 1) value = power(value);
      power = {power.factor * power.factor, power.term * (power.factor + 1)};
    }
    return value;
  }
};

}  // namespace tilestride::latency
