// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A copy that begins in the middle of a sector:
//
//   for i in n:  out[i + offset] = in[i + offset]
//
// The warps of a GPU then ask for one sector more than their elements would fill. Other headers let the
// lanes of a warp swap places, idle, or load the same element, which should not change the time: only sectors count.

#include "patterns/common/blocks.hpp"
#include "patterns/offset_copy/native.hpp"
#include "portable/memory.hpp"
#include "portable/yardsticks.hpp"

namespace tilestride::offset_copy {

constexpr std::int64_t margin = 1024;  ///< elements behind the last, which must stay untouched

/// Of the threads of a team each `reading`-th reads, for itself and for those up to the next, and each `writing`-th
/// writes.
struct Every {
  int reading = 1, writing = 1;
};

template <class Space, class T>
struct OffsetCopy {
  using Exec = Space;
  using Element = T;
  using Array = Kokkos::View<T*, Exec>;

  Exec exec;
  Blocks blocks;
  std::int64_t offset;
  Memory memory{"tilestride::offset_copy"};
  Array in, out;  ///< offset + blocks.n + margin elements

  OffsetCopy(Exec const& instance, Case const& c)
      : exec(instance),
        blocks(blocks_by_team(c)),
        offset(c.integer("offset")),
        in(memory.input<Array>(exec, "in", extent(), Values<T>{1})),
        out(memory.output<Array>(exec, "out", extent())) {}

  std::int64_t extent() const { return offset + blocks.n + margin; }

  Check verify() const { return verify(Every{}); }

  /// Every element of `out`, those before and behind the copy too.
  Check verify(Every const& every) const {
    return check_all(exec, extent(), IsMoved{out.data(), blocks, offset, every},
                     "every element exactly, all others untouched");
  }

  std::vector<Yardstick> yardsticks() const {
    return {copy_yardstick(exec, out.data(), in.data(), blocks.n * std::int64_t(sizeof(T)))};
  }

  T const* first_in() const { return in.data() + offset; }  ///< where the copy begins
  T* first_out() const { return out.data() + offset; }

  Arguments native_arguments(Case const&) const {
    return {in.data(), out.data(), blocks.n, offset, blocks.team, blocks.per_thread};
  }

  struct IsMoved {
    T const* out;
    Blocks blocks;
    std::int64_t offset;
    Every every;
    KOKKOS_FUNCTION bool operator()(std::int64_t at) const {
      std::int64_t const i = at - offset;
      std::int64_t const thread = i % blocks.team;
      if (i < 0 || i >= blocks.n || thread % every.writing != 0) return is_untouched(out[at]);
      return out[at] == value_at<T>(1, at - thread % every.reading);
    }
  };
};

}  // namespace tilestride::offset_copy
