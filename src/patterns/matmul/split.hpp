// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Products of f32 on units that multiply TF32: each element is split into two of those, x = high + low, and of the four
// products of pieces three are made. Splitting is a part of the product, and timed; the verdict is on the product of
// f32.

#include "patterns/matmul/rounded.hpp"

namespace tilestride::matmul {

/// Variance of a term's further error, in u²·t². With 2^e <= |x| < 2^(e+1) the low piece is uniform within 4u·2^e of 0,
/// so that low·low, which is left out, has the variance (4u/3)²·4^e·4^e'. A low piece in the outer half of its range
/// loses the last bit of x when that is set, 2u·2^e: a variance of u²·4^e for each factor. The mean of 4^e/x² is 0.541
/// (rounding_variance).
constexpr double split_term = 16.0 / 9 * 0.541 * 0.541 + 2 * 0.541;

/// f(i) without its last bit, so that the pieces hold all of it.
template <class Value>
struct InPieces {
  Value f;
  KOKKOS_FUNCTION float operator()(std::int64_t i) const { return without_bits(f(i), 1); }
};

/// The form of the inputs in a probe.
struct SplitInTwo {
  template <class Value>
  static InPieces<Value> stored(Value const& value) {
    return {value};
  }
  template <class Value>
  static InPieces<Value> value(Value const& value) {
    return {value};
  }
};

/// As Matmul's, with every bit that two pieces hold: 23 of 24.
template <class Exec, class Call>
Check probe_split(Matmul<Exec, float> const& p, Call const& call) {
  return probe_product<SplitInTwo>(p, p.a.data(), p.b.data(), call);
}

/// prepare_native for a launcher that splits f32.
template <bool cut_off, auto Launcher>
Trial prepare_split(Bench& bench, Case const& c) {
  if (c.type != Type::f32) return skipped(SkipReason::not_applicable, "splits f32");
  return with_launcher<Launcher>(c, [&](auto space, auto launcher) {
    using Exec = typename decltype(space)::type;
    auto const problem = problem_on<Matmul<Exec, float>>(bench, c);
    Trial trial = launched_natively(launcher, problem, c, problem->native_arguments(c));
    if (trial.skip) return trial;
    trial.verify = [problem] { return problem->verify({cut_off, split_term}); };
    trial.probe = [problem, run = trial.run] {
      return probe_split(*problem, [&] {
        run();
        problem->exec.fence("tilestride::matmul::probe");
      });
    };
    return trial;
  });
}

}  // namespace tilestride::matmul
