// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Products of f64 on units for integers of 8 bits (residues.hpp). Making the integers is a part of the product, and
// timed; the verdict is on the product of f64.

#include "patterns/matmul/problem.hpp"
#include "patterns/matmul/residues.hpp"

namespace tilestride::matmul {

/// Bits of the integers of a case.
inline int integer_bits(Case const& c) {
  return with_int(ModuliCounts{}, c.integer("moduli"),
                  [&](auto count) { return Moduli<decltype(count)::value>::bits(c.shape()[2]); });
}

/// Variance of a term's further error, in u²·t². Elements are uniform in [-1, 1), so that the largest of a row or a
/// column is about 1, and the others are rounded to multiples of 2^-bits: a variance of 4^-bits/12. With the mean 1/3
/// of squares that is 4^-bits/18 for a term, whose square has the mean 1/9.
inline double integer_term(int bits) { return 0.5 * std::ldexp(1.0, 2 * (53 - bits)); }

/// Whether that is less than what rounding in f64 explains (ProductReference::compare, with Σt² for P²).
inline bool as_exact_as_f64(int bits, std::int64_t terms) {
  return integer_term(bits) < rounding_variance * (1 + static_cast<double>(terms) / 2);
}

/// f(i) of magnitude 1 to 2, without what is lost of such numbers when they are the largest of their rows.
template <class Value>
struct InBits {
  Value f;
  std::uint64_t kept;
  KOKKOS_FUNCTION double operator()(std::int64_t i) const {
    return Kokkos::bit_cast<double>(Kokkos::bit_cast<std::uint64_t>(f(i)) & kept);
  }
};

/// The form of the inputs in a probe. The largest number has one bit before the point and bits - 1 after it.
struct AsIntegers {
  std::uint64_t kept;
  explicit AsIntegers(int bits) : kept(~std::uint64_t(0) << std::max(52 - (bits - 1), 0)) {}
  template <class Value>
  InBits<Value> stored(Value const& f) const {
    return {f, kept};
  }
  template <class Value>
  InBits<Value> value(Value const& f) const {
    return {f, kept};
  }
};

/// prepare_native for a launcher that makes integers of f64.
template <auto Launcher>
Trial prepare_int8(Bench& bench, Case const& c) {
  if (c.type != Type::f64) return skipped(SkipReason::not_applicable, "makes integers of f64");
  return with_launcher<Launcher>(c, [&](auto space, auto launcher) {
    using Exec = typename decltype(space)::type;
    auto const problem = problem_on<Matmul<Exec, double>>(bench, c);
    Trial trial = launched_natively(launcher, problem, c, problem->native_arguments(c));
    if (trial.skip) return trial;
    int const bits = integer_bits(c);
    trial.verify = [problem, bits] { return problem->verify({false, integer_term(bits)}); };
    trial.probe = [problem, bits, run = trial.run] {
      auto const call = [&] {
        run();
        problem->exec.fence("tilestride::matmul::probe");
      };
      return probe_product(*problem, problem->a.data(), problem->b.data(), call, AsIntegers(bits));
    };
    std::string const integers = fmt::format("integers of {} bits", bits);
    trial.notes[as_exact_as_f64(bits, problem->k) ? "made of" : "rounded to"] = integers;
    return trial;
  });
}

}  // namespace tilestride::matmul
