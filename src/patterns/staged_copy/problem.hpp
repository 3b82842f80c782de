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
#include "patterns/common/mark.hpp"
#include "patterns/staged_copy/native.hpp"
#include "portable/memory.hpp"
#include "portable/yardsticks.hpp"

namespace tilestride::staged_copy {

template <class Space, class T>
struct StagedCopy {
  using Exec = Space;
  using Element = T;
  using Array = Kokkos::View<T*, Exec>;

  Exec exec;
  Blocks blocks;
  bool marked = false;  ///< the kernel is to mark its scratch (common/mark.hpp)
  Memory memory{"tilestride::staged_copy"};
  Array in, out;  ///< blocks.n elements

  StagedCopy(Exec const& instance, Case const& c)
      : exec(instance),
        blocks(blocks_by_team(c)),
        in(memory.input<Array>(exec, "in", blocks.n, Values<T>{1})),
        out(memory.output<Array>(exec, "out", blocks.n)) {}

  /// Exactly: the sum of an input and 1 is a number that T holds.
  Check verify() const { return check_all(exec, blocks.n, IsNext{out.data()}, "every element exactly"); }

  /// Every element with the mark of its place in scratch.
  template <class Call>
  Check probe(Call const& call, Case const&) const {
    StagedCopy marked_copy = *this;
    marked_copy.marked = true;
    memory.poison();
    call(marked_copy);
    return check_all(exec, blocks.n, IsMarked{out.data(), blocks.size()},
                     "probe: every element with the mark of its place in scratch");
  }

  std::vector<Yardstick> yardsticks() const {
    return {copy_yardstick(exec, out.data(), in.data(), blocks.n * std::int64_t(sizeof(T)))};
  }

  Arguments native_arguments(Case const&) const {
    return {in.data(), out.data(), blocks.n, blocks.team, blocks.per_thread, marked};
  }

  struct IsNext {
    T const* out;
    KOKKOS_FUNCTION bool operator()(std::int64_t i) const { return out[i] == value_at<T>(1, i) + 1; }
  };

  struct IsMarked {
    T const* out;
    int block;  ///< elements
    KOKKOS_FUNCTION bool operator()(std::int64_t i) const {
      return out[i] == value_at<T>(1, i) * mark_of<T>(static_cast<int>(i % block)) + 1;
    }
  };
};

}  // namespace tilestride::staged_copy
