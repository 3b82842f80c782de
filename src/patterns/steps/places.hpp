// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Loops that find out for each element where it is.

#include "patterns/common/blocks.hpp"
#include "patterns/steps/problem.hpp"

namespace tilestride::steps {

/// A block of a team, walked as the copies of blocks.hpp walk theirs: each element with a remainder of its number.
struct Placed {
  static constexpr int group = 4;  ///< elements, of which all become the first

  template <class T>
  struct Load {
    T const* in;
    KOKKOS_FUNCTION T operator()(Place const& at) const { return in[at.in_array() - at.thread % group]; }
  };
  template <class T>
  struct Store {
    T* out;
    KOKKOS_FUNCTION void operator()(Place const& at, T x) const { out[at.in_array()] = x; }
  };

  /// What move_block() asks of a team's member.
  struct Team {
    int rank;
    KOKKOS_FUNCTION int league_rank() const { return rank; }
  };

  template <class Exec, class T>
  static void run(Steps<Exec, T> const& p) {
    p.on_each_thread("tilestride::steps::placed", [passes = p.passes](T const* in, T* out, int const* zero) {
      Blocks const blocks{square + *zero, square / 4 + *zero, 4};
      for (std::int64_t pass = 0; pass < passes; ++pass)
        move_block<1, Exec>(Team{static_cast<int>(pass) * *zero}, blocks, Load<T>{in}, Store<T>{out});
    });
  }

  template <class Exec, class T>
  static Check verify(Steps<Exec, T> const& p) {
    return p.compare([](T const* in, int i) { return in[i - i % group]; });
  }
};

/// A place that follows from the one before it: i = (i + 1) % n.
struct Chained {
  template <class Exec, class T>
  static void run(Steps<Exec, T> const& p) {
    p.on_each_thread("tilestride::steps::chained", [passes = p.passes](T const* in, T* out, int const* zero) {
      for (int i = 0; i < square; ++i) out[i] = 0;
      int const step = 1 + *zero;
      int i = 0;
      for (std::int64_t s = 0; s < passes * square; ++s) {
        out[i] += in[i];
        i = (i + step) % square;
      }
    });
  }

  template <class Exec, class T>
  static Check verify(Steps<Exec, T> const& p) {
    return p.compare([passes = p.passes](T const* in, int i) { return static_cast<T>(passes) * in[i]; });
  }
};

}  // namespace tilestride::steps
