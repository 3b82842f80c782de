// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What the matrix units of f32 work on: A and B rounded to fewer bits of mantissa, the sums in f32. Rounding is not
// timed; the verdict is on the product of what was rounded.

#include <Kokkos_BitManipulation.hpp>

#include "patterns/matmul/problem.hpp"

namespace tilestride::matmul {

/// Rounded to the nearest number whose lowest `dropped` bits of mantissa are 0, ties to even.
KOKKOS_INLINE_FUNCTION float without_bits(float x, int dropped) {
  auto const bits = Kokkos::bit_cast<std::uint32_t>(x);
  std::uint32_t const half = (1u << (dropped - 1)) - 1 + (bits >> dropped & 1u);
  return Kokkos::bit_cast<float>((bits + half) >> dropped << dropped);
}

/// 10 bits of mantissa, kept in an f32.
struct Tf32 {
  using Stored = float;
  static constexpr char const* name = "TF32";
  static constexpr double unit = 0x1p-11;  ///< unit roundoff
  KOKKOS_FUNCTION static Stored from(float x) { return without_bits(x, 13); }
  KOKKOS_FUNCTION static float value(Stored x) { return x; }
};

/// 7 bits of mantissa: the upper half of an f32.
struct Bf16 {
  using Stored = std::uint16_t;
  static constexpr char const* name = "BF16";
  static constexpr double unit = 0x1p-8;
  KOKKOS_FUNCTION static Stored from(float x) {
    return static_cast<Stored>(Kokkos::bit_cast<std::uint32_t>(without_bits(x, 16)) >> 16);
  }
  KOKKOS_FUNCTION static float value(Stored x) { return Kokkos::bit_cast<float>(static_cast<std::uint32_t>(x) << 16); }
};

template <class Exec, class Precision>
struct RoundedInput {
  using Stored = typename Precision::Stored;
  Matrix<Exec, Stored> stored;
  std::uint64_t salt;  ///< of the f32 input

  RoundedInput(Exec const& exec, std::int64_t rows, std::int64_t columns, std::uint64_t input)
      : stored(new_matrix<Stored>(exec, "tilestride::matmul::rounded", rows, columns)), salt(input) {
    fill(exec, stored.data(), rows * columns, Round{salt});
  }

  /// As f32, for the product that a result is compared with.
  Matrix<Exec, float> values(Exec const& exec) const {
    auto const wide =
        new_matrix<float>(exec, "tilestride::matmul::rounded_values", static_cast<std::int64_t>(stored.extent(0)),
                          static_cast<std::int64_t>(stored.extent(1)));
    fill(exec, wide.data(), static_cast<std::int64_t>(wide.size()), Widen{stored.data()});
    return wide;
  }

  Check unchanged(Exec const& exec) const {
    return check_all(exec, static_cast<std::int64_t>(stored.size()), IsRounded{stored.data(), salt},
                     "inputs rounded to nearest, and unchanged since");
  }

  struct Round {
    std::uint64_t salt;
    KOKKOS_FUNCTION Stored operator()(std::int64_t i) const { return Precision::from(value_at<float>(salt, i)); }
  };
  struct Widen {
    Stored const* stored;
    KOKKOS_FUNCTION float operator()(std::int64_t i) const { return Precision::value(stored[i]); }
  };
  struct IsRounded {
    Stored const* stored;
    std::uint64_t salt;
    KOKKOS_FUNCTION bool operator()(std::int64_t i) const {
      auto const x = static_cast<double>(value_at<float>(salt, i));
      return Kokkos::abs(static_cast<double>(Precision::value(stored[i])) - x) <= Precision::unit * Kokkos::abs(x);
    }
  };
};

template <class Exec, class Precision>
struct RoundedInputs {
  RoundedInput<Exec, Precision> a, b;

  explicit RoundedInputs(Matmul<Exec, float> const& p) : a(p.exec, p.m, p.k, 1), b(p.exec, p.k, p.n, 2) {}

  /// Every element of C against the f64 product of the rounded inputs.
  ///
  /// The bound is that of f32, although tensor cores cut sums off where f32 arithmetic rounds (Fasi, Higham, Mikaitis &
  /// Pranesh, PeerJ Comput. Sci. 7:e330, 2021; Khattak & Mikaitis, arXiv 2512.07004, for the H100): an error of at most
  /// 2u|s| each time a block of at least four products is added to a sum s, all towards zero. Errors that agree do not
  /// grow like sqrt(K), but s does, the inputs' mean being 0: (K/4)·2u·|s| with |s| < 6·sqrt(K)/3 is half the bound,
  /// 8·sqrt(K)·u·K/4. What cuBLAS and these kernels show is at most 0.06 of it, for K from 8 to 8192.
  Check verify(Matmul<Exec, float> const& p) const {
    for (auto const& input : {a, b}) {
      if (Check const unchanged = input.unchanged(p.exec); !unchanged.passed) return unchanged;
    }
    ProductReference<Exec, float, Matrix<Exec, float>> reference;
    return reference.compare(p.exec, a.values(p.exec), b.values(p.exec), p.c);
  }
};

/// prepare_native for a launcher that is given A and B rounded; they live as long as the trial.
template <class Precision, auto Launcher>
Trial prepare_rounded(Bench& bench, Case const& c) {
  if (c.type != Type::f32) return skipped(SkipReason::not_applicable, "rounds inputs of f32");
  return with_space(c.space, [&](auto space) {
    using Exec = typename decltype(space)::type;
    auto const launcher = find_launcher<Launcher, Exec>();
    if (launcher == nullptr) return not_built_in(c);
    auto const problem = problem_on<Matmul<Exec, float>>(bench, c);
    auto const inputs = std::make_shared<RoundedInputs<Exec, Precision>>(*problem);
    Arguments arguments = problem->native_arguments(c);
    arguments.a = inputs->a.stored.data();
    arguments.b = inputs->b.stored.data();
    Trial trial = launched_natively(launcher, problem, c, arguments);
    if (trial.skip) return trial;
    trial.verify = [problem, inputs] { return inputs->verify(*problem); };
    trial.notes["rounded to"] = Precision::name;
    return trial;
  });
}

}  // namespace tilestride::matmul
