// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Steps that wait for each other: the latency of an addition, and of a multiply-add. They are the limit of a sum that a
// compiler must not reorder.

#include <cmath>

#include "patterns/steps/problem.hpp"

namespace tilestride::steps {

/// All elements of the square, one after the other.
struct Add {
  template <class Exec, class T>
  static void run(Steps<Exec, T> const& p) {
    p.on_each_thread("tilestride::steps::add", [passes = p.passes](T const* in, T* out, int const*) {
      T sum = 0;
      for (std::int64_t pass = 0; pass < passes; pass += 2) {
        for (int i = 0; i < square; ++i) sum += in[i];
        if (pass + 1 == passes) break;
        for (int i = 0; i < square; ++i) sum -= in[i];
      }
      for (int i = 0; i < square; ++i) out[i] = sum;
    });
  }

  template <class Exec, class T>
  static Check verify(Steps<Exec, T> const& p) {
    return p.compare([](T const* in, int) {
      T sum = 0;
      for (int i = square - 1; i >= 0; --i) sum += in[i];
      return sum;
    });
  }
};

/// x = factor x + term, as often as the square has elements; from the first of them on.
struct MultiplyAdd {
  template <class T>
  static T after(T x, std::int64_t steps) {
    T const factor = T(0.999), term = T(0.001);
    for (std::int64_t s = 0; s < steps; ++s) x = std::fma(x, factor, term);
    return x;
  }

  template <class Exec, class T>
  static void run(Steps<Exec, T> const& p) {
    p.on_each_thread("tilestride::steps::multiply_add", [passes = p.passes](T const* in, T* out, int const*) {
      T const x = after(in[0], passes * square);
      for (int i = 0; i < square; ++i) out[i] = x;
    });
  }

  /// Bit for bit.
  template <class Exec, class T>
  static Check verify(Steps<Exec, T> const& p) {
    T of_first = 0, end = 0;
    return p.compare([&, passes = p.passes](T const* in, int i) {
      if (i == 0) of_first = in[0], end = after(of_first, passes * square);
      return end;
    });
  }
};

}  // namespace tilestride::steps
