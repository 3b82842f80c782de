// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The two kernels of a transpose by messages: rows of a block are packed, so that they are one message, and what has
// arrived is turned into its columns.

#include "patterns/common/scratch.hpp"
#include "patterns/global_transpose/problem.hpp"

namespace tilestride::global_transpose {

/// A matrix in memory whose rows lie `pitch` elements apart.
template <class T>
struct Pitched {
  T* data;
  std::int64_t pitch;
};

constexpr int tile = 32;

template <class T>
struct Pack {
  Pitched<T const> from;
  Pitched<T> to;
  KOKKOS_FUNCTION T load(std::int64_t r, std::int64_t c) const { return from.data[r * from.pitch + c]; }
  KOKKOS_FUNCTION void store(std::int64_t r, std::int64_t c, T x) const { to.data[r * to.pitch + c] = x; }
};

template <class Exec, class T>
void pack(Exec const& exec, Pitched<T const> from, Pitched<T> to, std::int64_t rows, std::int64_t columns) {
  move_matrix("tilestride::global_transpose::pack", exec, rows, columns, Pack<T>{from, to});
}

/// The team's tile goes through scratch, so that both loads and stores are of neighbours.
template <class Exec, class T>
struct Turn {
  Pitched<T const> from;  ///< rows x columns
  Pitched<T> to;          ///< columns x rows
  std::int64_t rows, columns;

  static constexpr int pitch = tile + 1;
  static constexpr TeamShape shape() { return tile_team<tile, Exec>(tile * pitch * sizeof(T)); }
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    T* const staged = scratch_of<T>(team, tile * pitch);
    Tiling<tile> const tiling{rows, columns};
    std::int64_t const row = tiling.first_row(team.league_rank()), column = tiling.first_column(team.league_rank());
    T const* const source = from.data + row * from.pitch + column;
    T* const target = to.data + column * to.pitch + row;
    std::int64_t const height = rows - row, width = columns - column;
    if constexpr (is_host<Exec>) {
      for (int r = 0; r < tile && r < height; ++r) {
        for (int c = 0; c < tile && c < width; ++c) staged[r * pitch + c] = source[r * from.pitch + c];
      }
      for (int c = 0; c < tile && c < width; ++c) {
        for (int r = 0; r < tile && r < height; ++r) target[c * to.pitch + r] = staged[r * pitch + c];
      }
    } else {
      using Mine = Strip<tile, Exec>;
      Mine const mine(team.team_rank());
      T held[Mine::length];
      mine.load(source, from.pitch, height, width, held);
      for (int i = 0; i < Mine::length; ++i) staged[(mine.row + i * Mine::step) * pitch + mine.column] = held[i];
      team.team_barrier();
      for (int i = 0; i < Mine::length; ++i) held[i] = staged[mine.column * pitch + mine.row + i * Mine::step];
      mine.store(held, target, to.pitch, width, height);
    }
  }
};

template <class Exec, class T>
void turn(Exec const& exec, Pitched<T const> from, Pitched<T> to, std::int64_t rows, std::int64_t columns) {
  Turn<Exec, T> const body{from, to, rows, columns};
  auto const policy = tile_policy<tile, 0>(exec, Tiling<tile>{rows, columns}.count(), body.shape());
  Kokkos::parallel_for("tilestride::global_transpose::turn", policy, body);
}

}  // namespace tilestride::global_transpose
