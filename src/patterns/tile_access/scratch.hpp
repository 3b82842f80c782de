// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The tile in team scratch, addressed as one dimension: where its rows begin is computed at run time.

#include "patterns/tile_access/problem.hpp"
#include "portable/prepare.hpp"

namespace tilestride::tile_access {

template <class Exec, class T>
struct Rounds {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  using Tile = Kokkos::View<T*, typename Exec::scratch_memory_space, Kokkos::MemoryUnmanaged>;

  Extents extents;
  bool store_columns, load_columns;
  int repeat, shift;
  Kokkos::View<T*, Exec> out;

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    Tile const tile(team.team_scratch(0), static_cast<std::size_t>(extents.stored()));
    if constexpr (is_host<Exec>) {
      for (int i = 0; i < extents.elements(); ++i) out(i) = static_cast<T>(i);
      for (int round = 0; round < repeat; ++round) {
        walk(store_columns, [&](int i, int at) { tile(at) = out(shifted(i)); });
        walk(load_columns, [&](int i, int at) { out(i) = tile(at) + T(1); });
      }
    } else {
      int const i = team.team_rank();
      int const store_at = extents.at(store_columns, (i + shift) % extents.elements());
      int const load_at = extents.at(load_columns, i);
      T x = static_cast<T>(i);
      for (int round = 0; round < repeat; ++round) {
        tile(store_at) = x;
        team.team_barrier();
        x = tile(load_at) + T(1);
        team.team_barrier();
      }
      out(i) = x;
    }
  }

  /// The thread whose value belongs where thread i would store.
  KOKKOS_FUNCTION int shifted(int i) const { return i >= shift ? i - shift : i - shift + extents.elements(); }

  /// One thread does what a team of threads does: body(i, place) for every element, in the order of i.
  template <class Body>
  KOKKOS_FUNCTION void walk(bool columns, Body const& body) const {
    int const outer = columns ? extents.width : extents.height;
    int const inner = columns ? extents.height : extents.width;
    for (int a = 0, i = 0; a < outer; ++a) {
      for (int b = 0; b < inner; ++b, ++i) body(i, columns ? extents.place(b, a) : extents.place(a, b));
    }
  }
};

struct Scratch {
  template <class Exec, class T>
  static TeamShape shape(TileAccess<Exec, T> const& p) {
    auto const stored = static_cast<std::size_t>(p.tile.stored());
    return team_shape<Exec>(p.tile.elements(), 1, Rounds<Exec, T>::Tile::shmem_size(stored));
  }

  template <class Exec, class T>
  static void run(TileAccess<Exec, T> const& p) {
    TeamShape const team = shape(p);
    Kokkos::parallel_for("tilestride::tile_access::scratch",
                         Kokkos::TeamPolicy<Exec>(p.exec, 1, team.threads, team.lanes)
                             .set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(team.scratch))),
                         Rounds<Exec, T>{p.tile, p.store_columns, p.load_columns, p.repeat, p.shift, p.out});
  }
};

}  // namespace tilestride::tile_access
