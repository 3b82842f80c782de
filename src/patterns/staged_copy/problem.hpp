// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// out = in + 1, each team's elements by way of its scratch:
//
//   for each team:  scratch[e] = in[first + e];  barrier;  out[first + e] = scratch[e] + 1
//
// It has no benefit: it shows how scratch is allocated, and the cost of a copy through it. The barrier is needed for
// the measurement: a thread only reads what it has written itself, and without a barrier nvcc stores the element to
// scratch but continues with the value in its register.

#include "patterns/common/blocks.hpp"
#include "patterns/staged_copy/native.hpp"
#include "portable/yardsticks.hpp"

namespace tilestride::staged_copy {

template <class Space, class T>
struct StagedCopy {
  using Exec = Space;
  using Element = T;
  using Array = Kokkos::View<T*, Exec>;

  Exec exec;
  Blocks blocks;
  Array in, out;  ///< blocks.n elements

  StagedCopy(Exec const& instance, Case const& c)
      : exec(instance),
        blocks(blocks_by_team(c)),
        in(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "tilestride::staged_copy::in"), blocks.n),
        out(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "tilestride::staged_copy::out"), blocks.n) {
    fill(exec, in.data(), blocks.n, Values<T>{1});
    poison();
  }

  void poison() const { tilestride::poison(exec, out.data(), blocks.n); }

  /// Exactly: the sum of an input and 1 is a number that T holds.
  Check verify() const { return check_all(exec, blocks.n, IsNext{out.data()}, "every element exactly"); }

  std::vector<Yardstick> yardsticks() const {
    return {copy_yardstick(exec, out.data(), in.data(), blocks.n * std::int64_t(sizeof(T)))};
  }

  Arguments native_arguments(Case const&) const {
    return {in.data(), out.data(), blocks.n, blocks.team, blocks.per_thread};
  }

  struct IsNext {
    T const* out;
    KOKKOS_FUNCTION bool operator()(std::int64_t i) const { return out[i] == value_at<T>(1, i) + 1; }
  };
};

}  // namespace tilestride::staged_copy
