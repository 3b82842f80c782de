// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// One team does the same thing again and again, every thread of it, each time after a step of a recurrence that tells
// whether all steps were done:
//
//   x = 3x + 1 + y;  [stored = x;]  y = op(y)        y is 0: what a load finds, at an address made of the last y
//
// So a load waits for the last one, and a fence has nothing to wait for or the store before it.

#include "harness/prepare.hpp"
#include "harness/values.hpp"
#include "patterns/fences/native.hpp"
#include "patterns/fences/recurrence.hpp"

namespace tilestride {

template <class Space, class T>
struct Fences {
  using Exec = Space;
  using Element = T;
  using NativeArguments = FencesArguments;
  static constexpr std::int64_t guard = 32;  ///< words behind those of the threads, which must stay as they are

  Exec exec;
  std::string op;
  bool stores;
  int threads;
  Kokkos::View<T*, Exec> zeros, stored, out;
  Kokkos::View<std::int64_t, Exec> cycles;

  Fences(Exec const& instance, Case const& c)
      : exec(instance),
        op(c.choice("op")),
        stores(c.choice("after") == "store"),
        threads(is_host<Exec> ? 1 : static_cast<int>(c.integer("team"))),
        zeros(Kokkos::view_alloc(exec, "tilestride::fences::zeros"), static_cast<std::size_t>(guard)),
        stored(words("tilestride::fences::stored")),
        out(words("tilestride::fences::out")),
        cycles(Kokkos::view_alloc(exec, "tilestride::fences::cycles")) {
    poison();
  }

  void poison() const {
    tilestride::poison(exec, stored.data(), threads + guard);
    tilestride::poison(exec, out.data(), threads + guard);
  }

  /// Thread t begins with x = t.
  struct IsDone {
    T const *zeros, *stored, *out;
    int threads;
    bool stores;
    T untouched;
    KOKKOS_FUNCTION bool operator()(std::int64_t i) const {
      if (i >= threads) return stored[i] == untouched && out[i] == untouched && zeros[i - threads] == 0;
      T x = static_cast<T>(i);
      for (int step = 0; step < fence_steps; ++step) x = fence_step(x, 0);
      return out[i] == x && stored[i] == (stores ? x : untouched);
    }
  };

  Check verify() const {
    return check_all(exec, threads + guard,
                     IsDone{zeros.data(), stored.data(), out.data(), threads, stores, poison_value<T>()},
                     "every thread's count exactly, and none behind them");
  }

  std::vector<Yardstick> yardsticks() const { return {}; }

  NativeArguments native_arguments() const {
    return {op, stores, threads, fence_steps, zeros.data(), stored.data(), out.data(), cycles.data()};
  }

 private:
  Kokkos::View<T*, Exec> words(std::string const& label) const {
    return Kokkos::View<T*, Exec>(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, label),
                                  static_cast<std::size_t>(threads + guard));
  }
};

}  // namespace tilestride
