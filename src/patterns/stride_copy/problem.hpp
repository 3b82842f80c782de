// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A copy of every stride-th element:
//
//   for i in n:  out[i·stride] = in[i·stride]
//
// Memory moves whole sectors, and the other elements of a sector are moved without use.

#include "patterns/common/blocks.hpp"
#include "patterns/stride_copy/native.hpp"
#include "portable/memory.hpp"
#include "portable/yardsticks.hpp"

namespace tilestride::stride_copy {

inline Blocks blocks_of(Case const& c) { return tilestride::blocks_of(c, team_threads); }

template <class Space, class T>
struct StrideCopy {
  using Exec = Space;
  using Element = T;
  using Array = Kokkos::View<T*, Exec>;

  Exec exec;
  Blocks blocks;
  std::int64_t stride;
  Memory memory{"tilestride::stride_copy"};
  Array in, out;  ///< blocks.n x stride elements

  StrideCopy(Exec const& instance, Case const& c)
      : exec(instance),
        blocks(blocks_of(c)),
        stride(c.integer("stride")),
        in(memory.input<Array>(exec, "in", extent(), Values<T>{1})),
        out(memory.output<Array>(exec, "out", extent())) {}

  std::int64_t extent() const { return blocks.n * stride; }

  Check verify() const {
    return check_all(exec, extent(), IsStrided{out.data(), stride}, "every element exactly, all others untouched");
  }

  std::vector<Yardstick> yardsticks() const {
    return {copy_yardstick(exec, out.data(), in.data(), blocks.n * std::int64_t(sizeof(T)))};
  }

  Arguments native_arguments(Case const&) const { return {in.data(), out.data(), blocks.n, stride, blocks.per_thread}; }

  struct IsStrided {
    T const* out;
    std::int64_t stride;
    KOKKOS_FUNCTION bool operator()(std::int64_t at) const {
      return at % stride == 0 ? out[at] == value_at<T>(1, at) : is_untouched(out[at]);
    }
  };
};

}  // namespace tilestride::stride_copy
