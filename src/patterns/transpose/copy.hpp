// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The same tiles read and written without turning them: what a transpose written this way could reach at most.

#include "patterns/transpose/problem.hpp"

namespace tilestride::transpose {

struct Copy {
  static constexpr int Tile = 32;

  template <class Exec, class T>
  static void run(Transpose<Exec, T> const& p) {
    T const* const in = p.in.data();
    T* const out = p.out.data();  // the same memory, in the shape of in
    std::int64_t const rows = p.rows, cols = p.cols;
    Tiling<Tile> const tiling{rows, cols};
    auto const policy =
        tile_policy<Tile, resident_tiles<Tile, Exec, T>(0)>(p.exec, tiling.count(), tile_team<Tile, Exec>(0));
    using Member = typename std::decay_t<decltype(policy)>::member_type;
    Kokkos::parallel_for(
        "tilestride::transpose::copy", policy, KOKKOS_LAMBDA(Member const& team) {
          std::int64_t const row = tiling.first_row(team.league_rank()), col = tiling.first_column(team.league_rank());
          std::int64_t const height = rows - row, width = cols - col;
          T const* const from = in + row * cols + col;
          T* const to = out + row * cols + col;
          if constexpr (is_host<Exec>) {
            for (int r = 0; r < Tile && r < height; ++r) {
              for (int c = 0; c < Tile && c < width; ++c) to[r * cols + c] = from[r * cols + c];
            }
          } else {
            using Mine = Strip<Tile, Exec>;
            Mine const mine(team.team_rank());
            T held[Mine::length];
            mine.load(from, cols, height, width, held);
            mine.store(held, to, cols, height, width);
          }
        });
  }

  template <class T>
  struct IsCopied {
    T const* out;
    KOKKOS_FUNCTION bool operator()(std::int64_t i) const { return out[i] == value_at<T>(1, i); }
  };

  template <class Exec, class T>
  static Check verify(Transpose<Exec, T> const& p) {
    return check_all(p.exec, p.rows * p.cols, IsCopied<T>{p.out.data()}, "every element exactly");
  }
};

}  // namespace tilestride::transpose
