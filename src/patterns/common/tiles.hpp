// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// How a tile of a matrix is mapped to a team: shared by all tiled kernels.

#include "patterns/common/teams_that_fit.hpp"
#include "patterns/common/tiling.hpp"
#include "portable/prepare.hpp"

namespace tilestride {

template <class Exec, class T>
using Matrix = Kokkos::View<T**, Kokkos::LayoutRight, Exec>;

/// Not initialized.
template <class T, class Exec>
Matrix<Exec, T> new_matrix(Exec const& exec, std::string const& label, std::int64_t rows, std::int64_t columns) {
  return Matrix<Exec, T>(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, label), static_cast<std::size_t>(rows),
                         static_cast<std::size_t>(columns));
}

/// Bytes: a matrix that is moved by tiles begins at a multiple of 1 KiB, as the allocators of devices hand memory out.
/// A View's own memory does not: its header takes the first 128 bytes, and each piece of a row that a tile reads or
/// writes then lies in one more block of 256 bytes than it needs to.
constexpr std::int64_t matrix_alignment = 1024;

/// The edge of a case's tile, for the arguments of launchers; 0 where the variant has none.
inline int tile_of(Case const& c) { return c.find("tile") == nullptr ? 0 : static_cast<int>(c.integer("tile")); }

/// A tile in team scratch; padded, it has more columns than are used.
template <int Rows, int Columns, class Exec, class T>
using ScratchTile =
    Kokkos::View<T[Rows][Columns], Kokkos::LayoutRight, typename Exec::scratch_memory_space, Kokkos::MemoryUnmanaged>;

/// Threads of a team of a device for one tile.
template <int Tile, class Exec>
constexpr int team_of_tile = tile_threads<Tile, Traits<Exec>::warp>;

template <int Tile, class Exec>
constexpr TeamShape tile_team(std::size_t scratch) {
  return team_shape<Exec>(team_of_tile<Tile, Exec>, 1, scratch);
}

/// Teams that a multiprocessor shall hold at once, with so many bytes of scratch each: the compiler then makes do with
/// what a thread holds and 24 registers beside it.
template <int Tile, class Exec, class T>
constexpr int resident_tiles(std::size_t scratch) {
  constexpr int threads = team_of_tile<Tile, Exec>;
  constexpr int held = Tile * Tile / threads * int(sizeof(T)) / 4;
  return teams_that_fit<Exec>(Traits<Exec>::teams, {threads, held + 24, scratch});
}

/// One team a tile. The compiler spills registers where it must to have `resident` teams on a multiprocessor; 0 leaves
/// it free.
template <int Tile, int resident, class Exec>
auto tile_policy(Exec const& exec, std::int64_t league, TeamShape const& shape) {
  using Bounds = typename Traits<Exec>::template Bounds<team_of_tile<Tile, Exec>, resident>;
  return Kokkos::TeamPolicy<Exec, Bounds>(exec, static_cast<int>(league), shape.threads, shape.lanes)
      .set_scratch_size(0, Kokkos::PerTeam(shape.scratch));
}

/// What one thread of a device has of a Tile x Tile tile: every step-th element of a column. Neighbouring threads have
/// neighbouring columns.
///
/// A thread does all its loads before its first store. The compiler cannot do so by itself, since it has to assume that
/// a store may change what is loaded next, and a load that waits for the store before it leaves the memory idle: on an
/// H200 a padded transpose of f32 moves 2500 GB/s this way and 1660 element by element. The trip counts are constants,
/// so that what is held stays in registers, and a pointer goes from row to row: an index each, and its comparison with
/// the matrix, are registers that the compiler keeps for all rows at once.
template <int Tile, class Exec>
struct Strip {
  static constexpr int step = team_of_tile<Tile, Exec> / Tile;  ///< rows of the tile that the team covers at once
  static constexpr int length = Tile / step;
  int row, column;

  KOKKOS_FUNCTION explicit Strip(int thread) : row(thread / Tile), column(thread % Tile) {}

  /// From a tile that begins at `from`, whose rows are `pitch` apart, and of which rows x columns are there.
  template <class T>
  KOKKOS_FUNCTION void load(T const* from, std::int64_t pitch, std::int64_t rows, std::int64_t columns,
                            T (&held)[length]) const {
    int const left = left_of(rows, columns);
    from += row * pitch + column;
    for (int i = 0; i < length; ++i) {
      if (i * step < left) held[i] = *from;
      from += step * pitch;
    }
  }

  template <class T>
  KOKKOS_FUNCTION void store(T const (&held)[length], T* to, std::int64_t pitch, std::int64_t rows,
                             std::int64_t columns) const {
    int const left = left_of(rows, columns);
    to += row * pitch + column;
    for (int i = 0; i < length; ++i) {
      if (i * step < left) *to = held[i];
      to += step * pitch;
    }
  }

  KOKKOS_FUNCTION int left_of(std::int64_t rows, std::int64_t columns) const {
    return column < columns ? (rows < Tile ? static_cast<int>(rows) : Tile) - row : 0;
  }
};

/// store(row, column, load(row, column)) for each element of the tile that begins at (row, column).
template <int Tile, class Exec, class Member, class Load, class Store>
KOKKOS_INLINE_FUNCTION void move_tile(Member const& team, Tiling<Tile> const& tiling, std::int64_t row,
                                      std::int64_t column, Load const& load, Store const& store) {
  if constexpr (is_host<Exec>) {
    for (std::int64_t r = row; r < row + Tile && r < tiling.rows; ++r) {
      for (std::int64_t c = column; c < column + Tile && c < tiling.columns; ++c) store(r, c, load(r, c));
    }
  } else {
    using Mine = Strip<Tile, Exec>;
    Mine const mine(team.team_rank());
    decltype(load(row, column)) held[Mine::length];
    for (int i = 0; i < Mine::length; ++i) {
      std::int64_t const r = row + mine.row + i * Mine::step, c = column + mine.column;
      held[i] = tiling.contains(r, c) ? load(r, c) : decltype(load(r, c)){};
    }
    for (int i = 0; i < Mine::length; ++i) {
      std::int64_t const r = row + mine.row + i * Mine::step, c = column + mine.column;
      if (tiling.contains(r, c)) store(r, c, held[i]);
    }
  }
}

/// The team's tile of a matrix, by way of body.load(row, column) and body.store(row, column, x).
template <int Tile, class Policy, class Body>
struct MoveTile {
  Tiling<Tile> tiling;
  Body body;
  KOKKOS_FUNCTION void operator()(typename Policy::member_type const& team) const {
    std::int64_t const row = tiling.first_row(team.league_rank());
    std::int64_t const column = tiling.first_column(team.league_rank());
    move_tile<Tile, typename Policy::execution_space>(
        team, tiling, row, column, [this](std::int64_t r, std::int64_t c) { return body.load(r, c); },
        [this](std::int64_t r, std::int64_t c, auto x) { body.store(r, c, x); });
  }
};

/// body.store(row, column, body.load(row, column)) for each element of a rows x columns matrix, 32x32 tile by tile, one
/// team a tile. Load and store are members and no lambdas, which nvcc has a host call through a pointer: once for every
/// element here, and nothing is inlined any more.
template <class Exec, class Body>
void move_matrix(char const* label, Exec const& exec, std::int64_t rows, std::int64_t columns, Body const& body) {
  constexpr int Tile = 32;
  Tiling<Tile> const tiling{rows, columns};
  auto const policy = tile_policy<Tile, 0>(exec, tiling.count(), tile_team<Tile, Exec>(0));
  Kokkos::parallel_for(label, policy, MoveTile<Tile, std::decay_t<decltype(policy)>, Body>{tiling, body});
}

}  // namespace tilestride
