// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Every thread of one team repeats one op, each time after a step of a recurrence whose end proves that all steps were
// done:
//
//   x = 3x + 1 + y;  [stored = x;]  y = op(y)        y is 0: what a load finds, at an address made of the last y
//
// So a load waits for the last one, and a fence waits for the store before it, or for nothing.

#include "patterns/fences/native.hpp"
#include "patterns/fences/recurrence.hpp"
#include "portable/prepare.hpp"
#include "portable/values.hpp"

namespace tilestride::fences {

template <class Space, class T>
struct Fences {
  using Exec = Space;
  using Element = T;
  static constexpr std::int64_t guard = 32;  ///< words behind those of the threads, which must stay as they are

  Exec exec;
  std::string op;
  bool stores;
  int threads;
  Kokkos::View<T*, Exec> zeros, stored, out;

  Fences(Exec const& instance, Case const& c)
      : exec(instance),
        op(c.choice("op")),
        stores(c.choice("after") == "store"),
        threads(is_host<Exec> ? 1 : static_cast<int>(c.integer("team"))),
        zeros(Kokkos::view_alloc(exec, "tilestride::fences::zeros"), static_cast<std::size_t>(guard)),
        stored(words("tilestride::fences::stored")),
        out(words("tilestride::fences::out")) {
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
      for (int step = 0; step < steps; ++step) x = next(x, 0);
      return out[i] == x && stored[i] == (stores ? x : untouched);
    }
  };

  Check verify() const {
    return check_all(exec, threads + guard,
                     IsDone{zeros.data(), stored.data(), out.data(), threads, stores, poison_value<T>()},
                     "every thread's count exactly, and none behind them");
  }

  std::vector<Yardstick> yardsticks() const { return {}; }

  Arguments native_arguments(Case const&) const {
    return {op, stores, threads, steps, zeros.data(), stored.data(), out.data()};
  }

 private:
  Kokkos::View<T*, Exec> words(std::string const& label) const {
    return Kokkos::View<T*, Exec>(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, label),
                                  static_cast<std::size_t>(threads + guard));
  }
};

}  // namespace tilestride::fences
