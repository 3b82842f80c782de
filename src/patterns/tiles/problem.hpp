// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What matrices cost that are walked tile by tile, a tile of 32 x 32 elements for a team, as the naive kernels on
// matrices do:
//
//   in (rows, pitch), out (rows, pitch)
//
// A row of a tile is 32 elements long: too short a run for a host's prefetchers. Down a column each element lies in a
// line of its own; and where the pitch is a power of two all rows of a tile begin in the same set of a cache, which has
// room for a few of them.

#include "patterns/common/tiles.hpp"
#include "portable/memory.hpp"
#include "portable/prepare.hpp"

namespace tilestride::tiles {

constexpr int edge = 32;

inline std::int64_t rows_of(Case const& c) { return c.integer("bytes") / size_of(c.type) / c.integer("pitch"); }

template <class Space, class T>
struct Tiles {
  using Exec = Space;
  using Element = T;
  using Array = Kokkos::View<T*, Exec>;

  Exec exec;
  std::int64_t rows, pitch;
  Memory memory{"tilestride::tiles"};
  Array in, out;

  Tiles(Exec const& instance, Case const& c)
      : exec(instance),
        rows(rows_of(c)),
        pitch(c.integer("pitch")),
        in(memory.input<Array>(exec, "in", rows * pitch, CoarseValues<T>{1}, matrix_alignment)),
        out(memory.output<Array>(exec, "out", rows * pitch, matrix_alignment)) {}

  Tiling<edge> tiling() const { return {rows, pitch}; }

  std::vector<Yardstick> yardsticks() const { return {}; }

  Check verify() const { return {false, 0, 0, "each kernel knows what its own results must be"}; }

  /// body(its first element, its height, its width) for each tile, one team each.
  template <class Body>
  void for_each_tile(char const* label, Body const& body) const {
    Tiling<edge> const tiles = tiling();
    auto const policy = tile_policy<edge, 0>(exec, tiles.count(), tile_team<edge, Exec>(0));
    using Member = typename std::decay_t<decltype(policy)>::member_type;
    Kokkos::parallel_for(label, policy, [=, rows = rows, pitch = pitch](Member const& team) {
      std::int64_t const row = tiles.first_row(team.league_rank()), column = tiles.first_column(team.league_rank());
      body(row * pitch + column, rows - row, pitch - column);
    });
  }
};

}  // namespace tilestride::tiles
