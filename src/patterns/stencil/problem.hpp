// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A weighted sum of each element's neighbourhood, whose weights come from one of `distinct` rows:
//
//   out[i] = Σ_k coefficients[i mod distinct][k]·in[i + k],  k = 0 … 2·radius
//
// The input has a halo: it begins `radius` elements before the first output, and ends as many after the last. All lanes
// of a warp want the same coefficient where there is one row, and up to 32 different ones where there are 32: to most
// memories that is much the same, to constant memory it is not.

#include "patterns/stencil/native.hpp"
#include "portable/prepare.hpp"
#include "portable/values.hpp"
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
  Array in;            ///< n + 2 radius
  Array coefficients;  ///< distinct x (2 radius + 1), row by row
  Array out;           ///< n

  Stencil(Exec const& instance, Case const& planned)
      : exec(instance),
        n(planned.integer("bytes") / std::int64_t(sizeof(T))),
        radius(static_cast<int>(planned.integer("radius"))),
        distinct(static_cast<int>(planned.integer("distinct"))),
        in(allocate("in", n + 2 * radius)),
        coefficients(allocate("coefficients", distinct * (2 * radius + 1))),
        out(allocate("out", n)) {
    fill(exec, in.data(), n + 2 * radius, Values<T>{1});
    fill(exec, coefficients.data(), distinct * (2 * radius + 1), Values<T>{2});
    poison();
  }

  void poison() const { tilestride::poison(exec, out.data(), n); }

  /// Every element against the sum in f64.
  ///
  /// m = 2·radius + 1 products summed in any order, fused or not, err by no more than γ_m Σ|c||x| with γ_m = m·u/(1 −
  /// m·u), u the unit roundoff (Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., 2002, section 3.1).
  /// The f64 sum errs likewise with its own u.
  Check verify() const {
    for (auto const& [input, salt] : {std::pair(in, 1), std::pair(coefficients, 2)}) {
      Check const unchanged = check_all(exec, static_cast<std::int64_t>(input.size()),
                                        IsInput{input.data(), static_cast<std::uint64_t>(salt)}, "inputs unchanged");
      if (!unchanged.passed) return unchanged;
    }
    double const bound =
        gamma(std::numeric_limits<T>::epsilon() / 2) + gamma(std::numeric_limits<double>::epsilon() / 2);
    return check_all(exec, n, IsSum{in.data(), coefficients.data(), out.data(), 2 * radius + 1, distinct, bound},
                     fmt::format("every element within {:.2g} Σ|c||x| of an f64 sum", bound));
  }

  std::vector<Yardstick> yardsticks() const {
    return {copy_yardstick(exec, out.data(), in.data(), n * std::int64_t(sizeof(T)))};
  }

  Arguments native_arguments(Case const&) const {
    return {in.data(), coefficients.data(), out.data(), n, radius, distinct};
  }

  struct IsInput {
    T const* data;
    std::uint64_t salt;
    KOKKOS_FUNCTION bool operator()(std::int64_t i) const { return data[i] == value_at<T>(salt, i); }
  };

  struct IsSum {
    T const *in, *coefficients, *out;
    int width, distinct;
    double bound;
    KOKKOS_FUNCTION bool operator()(std::int64_t i) const {
      double sum = 0, magnitude = 0;
      for (int k = 0; k < width; ++k) {
        double const term =
            static_cast<double>(coefficients[i % distinct * width + k]) * static_cast<double>(in[i + k]);
        sum += term;
        magnitude += Kokkos::abs(term);
      }
      return Kokkos::abs(static_cast<double>(out[i]) - sum) <= bound * magnitude;
    }
  };

 private:
  Array allocate(std::string const& name, std::int64_t elements) const {
    return Array(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "tilestride::stencil::" + name),
                 static_cast<std::size_t>(elements));
  }

  double gamma(double u) const {
    double const m = 2 * radius + 1;
    return m * u / (1 - m * u);
  }
};

}  // namespace tilestride::stencil
