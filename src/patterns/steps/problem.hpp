// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What a step of a loop costs the threads of a host when all data lie in their first caches. Each thread has a square
// of its own, and as many results:
//
//   in[t] (edge, edge), out[t] (edge, edge)
//
// A kernel goes over its square again and again, so that the launch is a small part of it. Odd passes undo what even
// ones did, so that sums stay small and, of coarse values (values.hpp), exact in any order.

#include "portable/memory.hpp"
#include "portable/prepare.hpp"

namespace tilestride::steps {

constexpr int edge = 32;  ///< of a square, elements: as the tiles of the tutorials' products
constexpr int square = edge * edge;

template <class Space, class T>
struct Steps {
  using Exec = Space;
  using Element = T;
  using Array = Kokkos::View<T*, Exec>;

  Exec exec;
  std::int64_t passes;
  Memory memory{"tilestride::steps"};
  Kokkos::View<int, Exec> zero;  ///< which the compiler does not know
  Array in, out;                 ///< a square for each thread

  Steps(Exec const& instance, Case const& c)
      : exec(instance),
        passes(c.integer("passes")),
        zero("tilestride::steps::zero"),
        in(memory.input<Array>(exec, "in", std::int64_t(exec.concurrency()) * square, CoarseValues<T>{1})),
        out(memory.output<Array>(exec, "out", std::int64_t(exec.concurrency()) * square)) {}

  std::vector<Yardstick> yardsticks() const { return {}; }

  Check verify() const { return {false, 0, 0, "each kernel knows what its own results must be"}; }

  /// body(its square, its results, zero) for each thread.
  template <class Body>
  void on_each_thread(char const* label, Body const& body) const {
    T const* const from = in.data();
    T* const to = out.data();
    int const* const none = zero.data();
    Kokkos::parallel_for(label, Kokkos::RangePolicy<Exec>(exec, 0, exec.concurrency()),
                         [=](int thread) { body(from + thread * square, to + thread * square, none); });
  }

  /// Each result of each thread against expected(square, place).
  template <class Expected>
  Check compare(Expected const& expected) const {
    std::int64_t wrong = 0;
    for (int thread = 0; thread < exec.concurrency(); ++thread) {
      T const* const from = in.data() + thread * square;
      T const* const to = out.data() + thread * square;
      for (int i = 0; i < square; ++i) wrong += to[i] == expected(from, i) ? 0 : 1;
    }
    return {wrong == 0, static_cast<double>(out.size()), static_cast<double>(wrong), "every result exactly"};
  }
};

/// 1 and -1 in turn.
template <class T>
T sign_of(std::int64_t pass) {
  return pass % 2 == 0 ? T(1) : T(-1);
}

}  // namespace tilestride::steps
