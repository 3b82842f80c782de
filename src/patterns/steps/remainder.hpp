// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A loop that does its work for every n-th element, and finds out by dividing: a host divides integers step by step,
// and has no vectors for it. Tutorials begin their trees so.

#include "patterns/steps/problem.hpp"

namespace tilestride::steps {

struct Remainder {
  /// 2, 4, … 256, and again from 2 on.
  static int divisor_of(std::int64_t pass) { return 2 << pass % 8; }

  template <class Exec, class T>
  static void run(Steps<Exec, T> const& p) {
    p.on_each_thread("tilestride::steps::remainder", [passes = p.passes](T const* in, T* out, int const* zero) {
      for (int i = 0; i < square; ++i) out[i] = 0;
      for (std::int64_t pass = 0; pass < passes; ++pass) {
        int const divisor = divisor_of(pass) + *zero;
        for (int i = 0; i < square; ++i) {
          if (i % divisor == 0) out[i] += in[i];
        }
      }
    });
  }

  /// Once for each pass whose divisor divides the place.
  template <class Exec, class T>
  static Check verify(Steps<Exec, T> const& p) {
    return p.compare([passes = p.passes](T const* in, int i) {
      std::int64_t times = 0;
      for (std::int64_t pass = 0; pass < passes; ++pass) times += i % divisor_of(pass) == 0 ? 1 : 0;
      return static_cast<T>(times) * in[i];
    });
  }
};

}  // namespace tilestride::steps
