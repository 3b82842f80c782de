// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Every thread of one team repeats one op, each time after a step of a recurrence whose end proves that all steps were
// done:
//
//   x = 3 (x ^ (x >> 7)) + 1 + y;  [stored = x;]  y = op(y)        y is 0: what a load finds, at an address made of the
//   last y
//
// So a load waits for the last one, and a fence waits for the store before it, or for nothing.

#include "patterns/fences/native.hpp"
#include "patterns/fences/recurrence.hpp"
#include "portable/memory.hpp"
#include "portable/prepare.hpp"

namespace tilestride::fences {

template <class Space, class T>
struct Fences {
  using Exec = Space;
  using Element = T;
  static constexpr std::int64_t zero_words = 32;

  Exec exec;
  std::string op;
  bool stores;
  int threads;
  Memory memory{"tilestride::fences"};
  Kokkos::View<T*, Exec> zeros, stored, out;

  Fences(Exec const& instance, Case const& c)
      : exec(instance),
        op(c.choice("op")),
        stores(c.choice("after") == "store"),
        threads(is_host<Exec> ? 1 : static_cast<int>(c.integer("team"))),
        zeros(memory.input<Kokkos::View<T*, Exec>>(exec, "zeros", zero_words, Constant<T>{0})),
        stored(memory.output<Kokkos::View<T*, Exec>>(exec, "stored", threads)),
        out(memory.output<Kokkos::View<T*, Exec>>(exec, "out", threads)) {}

  /// Thread t begins with x = t.
  struct IsDone {
    T const *stored, *out;
    bool stores;
    T untouched;
    KOKKOS_FUNCTION bool operator()(std::int64_t i) const {
      T x = static_cast<T>(i);
      for (int step = 0; step < steps; ++step) x = next(x, 0);
      return out[i] == x && stored[i] == (stores ? x : untouched);
    }
  };

  Check verify() const {
    return check_all(exec, threads, IsDone{stored.data(), out.data(), stores, poison_value<T>()},
                     "every thread's count exactly");
  }

  std::vector<Yardstick> yardsticks() const { return {}; }

  Arguments native_arguments(Case const&) const {
    return {op, stores, threads, steps, zeros.data(), stored.data(), out.data()};
  }
};

}  // namespace tilestride::fences
