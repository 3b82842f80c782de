// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A weighted sum of each element's neighbourhood, whose weights come from one of `distinct` rows:
//
//   out[i] = Σ_k coefficients[i mod distinct][k]·in[i + k],  k = 0 … 2·radius
//
// The input has a halo: it begins `radius` elements before the first output, and ends as many after the last. All lanes
// of a warp want the same coefficient where there is one row, and up to 32 different ones where there are 32: to most
// memories that is much the same, to constant memory it is not.

#include "patterns/common/selection.hpp"
#include "patterns/stencil/native.hpp"
#include "portable/memory.hpp"
#include "portable/prepare.hpp"
#include "portable/yardsticks.hpp"

namespace tilestride::stencil {

template <class Space, class T>
struct Stencil {
  using Exec = Space;
  using Element = T;
  using Array = Kokkos::View<T*, Exec>;

  Exec exec;
  std::int64_t n;
  int radius, distinct;
  Memory memory{"tilestride::stencil"};
  Array in;            ///< n + 2 radius
  Array coefficients;  ///< distinct x (2 radius + 1), row by row
  Array out;           ///< n

  Stencil(Exec const& instance, Case const& planned)
      : exec(instance),
        n(planned.integer("bytes") / std::int64_t(sizeof(T))),
        radius(static_cast<int>(planned.integer("radius"))),
        distinct(static_cast<int>(planned.integer("distinct"))),
        in(memory.input<Array>(exec, "in", n + 2 * radius, Values<T>{1})),
        coefficients(memory.input<Array>(exec, "coefficients", distinct * width(), Values<T>{2})),
        out(memory.output<Array>(exec, "out", n)) {}

  int width() const { return 2 * radius + 1; }

  /// Every element against the sum in f64, and the rms of all errors.
  ///
  /// m = 2·radius + 1 products summed in any order, fused or not, err by no more than γ_m Σ|c||x| with γ_m = m·u/(1 −
  /// m·u), u the unit roundoff (Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., 2002, section 3.1).
  /// The f64 sum errs likewise with its own u. The expected variance of an element's error is that of a product's
  /// (ProductReference, common/product.hpp).
  Check verify() const {
    double const u = std::numeric_limits<T>::epsilon() / 2;
    double const bound = gamma(u) + gamma(std::numeric_limits<double>::epsilon() / 2);
    double const variance = rounding_variance * u * u * (sizeof(T) == 8 ? 2 : 1);
    return check_rounded(exec, n,
                         ErrorOfSum{in.data(), coefficients.data(), out.data(), width(), distinct, bound, variance},
                         fmt::format("every element within {:.2g} Σ|c||x| of an f64 sum", bound));
  }

  /// Each row of coefficients has a single one, a power of two: every output is one input times that power, exactly.
  template <class Call>
  Check probe(Call const& call, Case const&) const {
    Selection const selection{distinct, width()};
    fill(exec, in.data(), n + 2 * radius, FullValues<T>{3});
    fill(exec, coefficients.data(), distinct * width(), Selects<T>{selection, false});
    memory.poison();
    call(*this);
    Check const check = check_all(exec, n, IsNeighbour{out.data(), selection},
                                  "probe: every element a power of two times one input, exactly");
    memory.fill_inputs();
    return check;
  }

  std::vector<Yardstick> yardsticks() const {
    return {copy_yardstick(exec, out.data(), in.data(), n * std::int64_t(sizeof(T)))};
  }

  Arguments native_arguments(Case const&) const {
    return {in.data(), coefficients.data(), out.data(), n, radius, distinct};
  }

  struct ErrorOfSum {
    T const *in, *coefficients, *out;
    int width, distinct;
    double bound, variance;
    KOKKOS_FUNCTION Error operator()(std::int64_t i) const {
      double sum = 0, magnitude = 0, squares = 0;
      for (int k = 0; k < width; ++k) {
        double const term =
            static_cast<double>(coefficients[i % distinct * width + k]) * static_cast<double>(in[i + k]);
        sum += term;
        magnitude += Kokkos::abs(term);
        squares += term * term;
      }
      double const error = Kokkos::abs(static_cast<double>(out[i]) - sum);
      if (error == 0) return {0, 0};
      return {error / Kokkos::sqrt(variance * (squares + width * (sum * sum / 3 + squares / 6))),
              error / (bound * magnitude)};
    }
  };

  struct IsNeighbour {
    T const* out;
    Selection selection;  ///< by the rows of coefficients
    KOKKOS_FUNCTION bool operator()(std::int64_t i) const {
      std::int64_t const row = i % selection.count;
      return out[i] == Selection::power<T>(row) * FullValues<T>{3}(i + selection.place(row));
    }
  };

 private:
  double gamma(double u) const {
    double const m = width();
    return m * u / (1 - m * u);
  }
};

}  // namespace tilestride::stencil
