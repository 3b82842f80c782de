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

/// Element i of an input in the form that the matrix units read, made of the f32 that `value` gives.
template <class Precision, class Value>
struct Rounded {
  Value value;
  KOKKOS_FUNCTION typename Precision::Stored operator()(std::int64_t i) const { return Precision::from(value(i)); }
};

/// The same as f32.
template <class Precision, class Value>
struct RoundedValue {
  Value value;
  KOKKOS_FUNCTION float operator()(std::int64_t i) const { return Precision::value(Precision::from(value(i))); }
};

/// The form of the inputs in a probe.
template <class Precision>
struct RoundedTo {
  template <class Value>
  static Rounded<Precision, Value> stored(Value const& value) {
    return {value};
  }
  template <class Value>
  static RoundedValue<Precision, Value> value(Value const& value) {
    return {value};
  }
};

/// Rounded to nearest: within a unit roundoff of what it was made of.
template <class Precision>
struct IsRounded {
  typename Precision::Stored const* stored;
  std::uint64_t salt;  ///< of the f32 input
  KOKKOS_FUNCTION bool operator()(std::int64_t i) const {
    auto const x = static_cast<double>(value_at<float>(salt, i));
    return Kokkos::abs(static_cast<double>(Precision::value(stored[i])) - x) <= Precision::unit * Kokkos::abs(x);
  }
};

/// A and B rounded, beside those of the problem. Their product is summed by units that cut off.
template <class Exec, class Precision>
struct RoundedInputs {
  using Stored = Kokkos::View<typename Precision::Stored*, Exec>;
  Matmul<Exec, float> p;
  Stored a, b;
  std::shared_ptr<ProductReference<Exec, float, Matrix<Exec, float>>> reference =
      std::make_shared<ProductReference<Exec, float, Matrix<Exec, float>>>();

  explicit RoundedInputs(Matmul<Exec, float> const& problem)
      : p(problem), a(rounded("a", p.m * p.k, 1)), b(rounded("b", p.k * p.n, 2)) {}

  Check verify() const {
    std::string const bound = "inputs rounded to nearest";
    for (auto const& [input, salt] : {std::pair(a, 1), std::pair(b, 2)}) {
      Check const check = check_all(p.exec, static_cast<std::int64_t>(input.size()),
                                    IsRounded<Precision>{input.data(), std::uint64_t(salt)}, bound);
      if (!check.passed) return check;
    }
    if (reference->product.extent(0) == 0) reference->make(p.exec, widened(1, p.m, p.k), widened(2, p.k, p.n));
    return reference->compare(p.exec, p.a, p.b, p.c, {true});
  }

  /// As Matmul's, with every bit that the rounded inputs have.
  template <class Call>
  Check probe(Call const& call) const {
    return probe_product<RoundedTo<Precision>>(p, a.data(), b.data(), call);
  }

 private:
  Stored rounded(std::string const& of, std::int64_t elements, std::uint64_t salt) const {
    return p.memory.template input<Stored>(p.exec, fmt::format("{} in {}", of, Precision::name), elements,
                                           Rounded<Precision, Values<float>>{{salt}});
  }

  Matrix<Exec, float> widened(std::uint64_t salt, std::int64_t rows, std::int64_t columns) const {
    auto const wide = new_matrix<float>(p.exec, "tilestride::matmul::rounded_values", rows, columns);
    fill(p.exec, wide.data(), rows * columns, RoundedValue<Precision, Values<float>>{{salt}});
    return wide;
  }
};

/// prepare_native for a launcher that is given A and B rounded; they live as long as the trial.
template <class Precision, auto Launcher>
Trial prepare_rounded(Bench& bench, Case const& c) {
  if (c.type != Type::f32) return skipped(SkipReason::not_applicable, "rounds inputs of f32");
  return with_launcher<Launcher>(c, [&](auto space, auto launcher) {
    using Exec = typename decltype(space)::type;
    auto const problem = problem_on<Matmul<Exec, float>>(bench, c);
    auto const inputs = std::make_shared<RoundedInputs<Exec, Precision>>(*problem);
    Arguments arguments = problem->native_arguments(c);
    arguments.a = inputs->a.data();
    arguments.b = inputs->b.data();
    Trial trial = launched_natively(launcher, problem, c, arguments);
    if (trial.skip) return trial;
    trial.verify = [inputs] { return inputs->verify(); };
    trial.probe = [inputs, run = trial.run] {
      return inputs->probe([&] {
        run();
        inputs->p.exec.fence("tilestride::matmul::probe");
      });
    };
    trial.notes["rounded to"] = Precision::name;
    return trial;
  });
}

}  // namespace tilestride::matmul
