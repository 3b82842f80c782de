// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A product of f64 made of products of small integers: Ozaki scheme II (Ozaki, Uchino & Imamura, arXiv:2504.08009).
//
// Each row of A and each column of B is multiplied by a power of two and rounded, so that it has integers of at most
// `bits` bits. An element of their product is an integer, too, and is known from its remainders if the product of the
// moduli is more than twice as large: |Σ_k a·b| <= K·4^bits < P/2. The remainders of A and B have 8 bits and are
// multiplied by units for such integers, one product for each modulus.

#include <Kokkos_BitManipulation.hpp>
#include <Kokkos_MathematicalFunctions.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>

namespace tilestride::matmul {

/// Which numbers of moduli there are: fewer have too few bits for f64, and the product of more has over 128.
using ModuliCounts = std::integer_sequence<int, 12, 13, 14, 15, 16>;

/// What one remainder of an integer tells of it: the integer is Σ remainder·weight mod P, the product of the moduli.
/// weight = high·2^48 + low, in units of 2^unit.
struct Weight {
  int modulus;
  double high, low;
};

/// The first `count` of the largest numbers of 8 bits without a common factor.
template <int count>
struct Moduli {
  static_assert(count <= 16);
  using Whole = unsigned __int128;
  Weight weight[count]{};
  double high = 0, low = 0;  ///< of P: high·2^48 + low, in units of 2^unit
  int length = 0, unit = 0;  ///< bits of P

  constexpr Moduli() {
    constexpr int all[] = {256, 255, 253, 251, 247, 241, 239, 233, 229, 227, 223, 217, 211, 199, 197, 193};
    Whole product = 1;
    for (int i = 0; i < count; ++i) product *= static_cast<Whole>(all[i]);
    for (Whole left = product; left > 0; left >>= 1) ++length;
    unit = length - 89;
    for (int i = 0; i < count; ++i) {
      // 1 modulo its own modulus, 0 modulo the others.
      Whole const others = product / static_cast<Whole>(all[i]);
      Whole x = others;
      while (x % static_cast<Whole>(all[i]) != 1) x += others;
      weight[i] = {all[i], high_of(x), low_of(x)};
    }
    high = high_of(product);
    low = low_of(product);
  }

  /// How many bits integers may have whose sum of so many products is to be known.
  static int bits(std::int64_t terms) {
    constexpr Moduli moduli;
    // P/2 with a margin: the nearest multiple of P is sought, and is far from the middle between two.
    double const most = std::log2(moduli.high) + moduli.length - 41 - 1.02 - std::log2(static_cast<double>(terms));
    return std::min(static_cast<int>(std::floor(most / 2)), most_bits);
  }
  static constexpr int most_bits = 56;  ///< of `remainder`

 private:
  constexpr double high_of(Whole x) const { return static_cast<double>(x >> (unit + 48)); }
  constexpr double low_of(Whole x) const { return static_cast<double>(x >> unit & ((Whole(1) << 48) - 1)); }
};

/// x becomes an integer, the nearest one, when this is added and, with the next instruction, taken away; in between the
/// lower bits of the number are those of the integer.
constexpr double nearest = 0x1.8p52;

/// The number from -128 to 127 that is x modulo `modulus`, for an integer of at most 56 bits.
KOKKOS_INLINE_FUNCTION int remainder(double x, int modulus) {
  double const quotient = Kokkos::fma(x, 1.0 / modulus, nearest) - nearest;  // within 0.54
  double const rest = Kokkos::fma(-quotient, static_cast<double>(modulus), x);
  int const left = static_cast<int>(Kokkos::bit_cast<std::uint64_t>(rest + nearest));
  if (modulus < 236) return left;
  return left > 127 ? left - modulus : left < -128 ? left + modulus : left;
}

/// The integer between -P/2 and P/2 that is residue(i) modulo each number, for an int residue(int i) of any size, in
/// units of 2^unit. It is rounded once; before, it is within 2^-77 P.
template <int count, class Residue>
KOKKOS_INLINE_FUNCTION double whole_of(Residue const& residue) {
  constexpr Moduli<count> moduli;
  double high = 0, low = 0;  // high is exact (below 2^52), low is rounded (below 2^59)
  for (int i = 0; i < count; ++i) {
    Weight const w = moduli.weight[i];
    double const x = residue(i);
    double const quotient = Kokkos::fma(x, 1.0 / w.modulus, nearest) - nearest;
    double const left = Kokkos::fma(-quotient, static_cast<double>(w.modulus), x);
    high = Kokkos::fma(left, w.high, high);
    low = Kokkos::fma(left, w.low, low);
  }
  double const multiple = Kokkos::fma(high, 1 / moduli.high, nearest) - nearest;
  return Kokkos::fma(Kokkos::fma(-multiple, moduli.high, high), 0x1p48, Kokkos::fma(-multiple, moduli.low, low));
}

}  // namespace tilestride::matmul
