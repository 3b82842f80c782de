// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Loops with a test for each element, which keeps most compilers from making vectors of them. Kernels that are written
// for a thread per element are full of such tests.

#include "patterns/steps/problem.hpp"

namespace tilestride::steps {

/// x[i] += x[i + half] where i < half: the step of a tree.
struct Guarded {
  static constexpr int half = square / 2;

  template <class Exec, class T>
  static void run(Steps<Exec, T> const& p) {
    p.on_each_thread("tilestride::steps::guarded", [passes = p.passes](T const* in, T* out, int const* zero) {
      for (int i = 0; i < square; ++i) out[i] = in[i];
      int const distance = half + *zero;
      for (std::int64_t pass = 0; pass < passes; ++pass) {
        for (int round = 0; round < square; ++round) {
          int const i = *zero + round;  // as a thread's number in its team
          if (i < distance) out[i] += out[i + distance];
        }
      }
    });
  }

  template <class Exec, class T>
  static Check verify(Steps<Exec, T> const& p) {
    return p.compare([passes = p.passes](T const* in, int i) {
      return i < half ? in[i] + static_cast<T>(passes) * in[i + half] : in[i];
    });
  }
};

}  // namespace tilestride::steps
