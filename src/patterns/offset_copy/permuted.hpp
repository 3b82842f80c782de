// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The lanes of each whole warp swap their elements of a row: the warp still asks for the same sectors.

#include "patterns/offset_copy/problem.hpp"

namespace tilestride::offset_copy {

struct Permuted {
  static constexpr Every every{};

  /// As many elements as run in step; on hosts, where no threads do, the 32 of most GPUs.
  template <class Exec>
  static constexpr int group = is_host<Exec> ? 32 : Traits<Exec>::warp;

  /// Lane l of a group takes element 13·l + 7 mod group: a permutation, since 13 is odd and a group a power of two.
  /// Fewer lanes than a group stay in order.
  template <int Group>
  KOKKOS_INLINE_FUNCTION static std::int64_t swapped(Place const& at) {
    int const lane = at.thread % Group;
    bool const is_whole = at.thread - lane + Group <= at.count;
    return at.in_array() + (is_whole ? (13 * lane + 7) % Group - lane : 0);
  }

  template <int Group, class T>
  struct Body {
    T const* in;
    T* out;
    KOKKOS_FUNCTION T load(Place const& at) const { return in[swapped<Group>(at)]; }
    KOKKOS_FUNCTION void store(Place const& at, T x) const { out[swapped<Group>(at)] = x; }
  };

  template <class Exec, class T>
  static void run(OffsetCopy<Exec, T> const& p) {
    move_blocks("tilestride::offset_copy::permuted", p.exec, p.blocks,
                Body<group<Exec>, T>{p.first_in(), p.first_out()});
  }
};

}  // namespace tilestride::offset_copy
