// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// One tile in scratch, one thread per element. In each of R rounds every thread stores its value and loads one:
//
//   tile[store_at(i)] = x[i];  barrier;  x[i] = tile[load_at(i)] + 1;  barrier
//
// beginning with x[i] = i. With R = 1 that is the kernel whose time the tutorials quote. `store_at` and `load_at` count
// the elements along rows or along columns: the lanes of a warp then meet all banks of a GPU, or one.

#include "patterns/tile_access/native.hpp"
#include "portable/memory.hpp"
#include "portable/yardsticks.hpp"

namespace tilestride::tile_access {

/// A tile of `height` rows of `width` elements, each row followed by `pad` unused ones.
struct Extents {
  int width, height, pad;

  KOKKOS_FUNCTION int elements() const { return width * height; }
  KOKKOS_FUNCTION int stored() const { return (width + pad) * height; }
  KOKKOS_FUNCTION int place(int row, int column) const { return row * (width + pad) + column; }
  KOKKOS_FUNCTION int along_rows(int i) const { return place(i / width, i % width); }
  /// Row and column are computed anew from i: in a tile that is not square they cannot just be exchanged.
  KOKKOS_FUNCTION int along_columns(int i) const { return place(i % height, i / height); }
  KOKKOS_FUNCTION int at(bool columns, int i) const { return columns ? along_columns(i) : along_rows(i); }
};

constexpr int most_moves = 1 << 24;  ///< that the host does for a probe

template <class Space, class T>
struct TileAccess {
  using Exec = Space;
  using Element = T;

  Exec exec;
  Extents tile;
  bool store_columns, load_columns;
  int repeat;
  int shift = 0;  ///< thread i stores where thread i + shift would: 0, but for the probe
  Memory memory{"tilestride::tile_access"};
  Kokkos::View<T*, Exec> out;  ///< an element per thread

  TileAccess(Exec const& instance, Case const& c)
      : exec(instance),
        tile{static_cast<int>(c.shape()[0]), static_cast<int>(c.shape()[1]), static_cast<int>(c.integer("pad"))},
        store_columns(c.choice("access") == "col_col"),
        load_columns(c.choice("access") != "row_row"),
        repeat(static_cast<int>(c.integer("repeat"))),
        out(memory.output<Kokkos::View<T*, Exec>>(exec, "out", tile.elements())) {}

  /// Where store and load walk alike, every element comes back to its thread. A tile stored along rows and loaded along
  /// columns is transposed in each round, and the transposition of n = width · height elements that are counted from 0
  /// sends element i to i · width mod (n - 1), all but the last (Windley 1959). So after R rounds thread i holds what
  /// began as element i · width^R mod (n - 1).
  Check verify() const {
    std::int64_t factor = 1;
    if (store_columns != load_columns && tile.elements() > 1) {
      for (int round = 0; round < repeat; ++round) factor = factor * tile.width % std::max(tile.elements() - 1, 1);
    }
    return check_all(exec, tile.elements(), IsMoved{out.data(), tile.elements() - 1, factor, repeat},
                     "every element exactly");
  }

  /// The same kernel with other places: each thread's value moves on to another thread in each round, which it can only
  /// do by way of the tile; and with the order of the stores, or of the loads, beside the other order, which shows
  /// where each of them goes.
  template <class Call>
  Check probe(Call const& call, Case const&) const {
    Check check{true};
    struct Places {
      bool store_columns, load_columns;
      int shift;
    };
    for (auto const [stores, loads, by] :
         {Places{store_columns, load_columns, 1}, Places{store_columns, !store_columns, 0},
          Places{!load_columns, load_columns, 0}}) {
      TileAccess other = *this;
      other.store_columns = stores;
      other.load_columns = loads;
      other.shift = by % tile.elements();
      other.repeat = by == 0 ? 1 : rounds_of_shift();
      memory.poison();
      call(other);
      check = other.verify_round_by_round();
      if (!check.passed) break;
    }
    return check;
  }

  /// As many as the timed kernel has, but not so many that every value is back where it began. (A round without a
  /// shift, which may be its own inverse, is asked for once.)
  int rounds_of_shift() const {
    int const rounds = std::min(repeat, std::max(1, most_moves / tile.elements()));
    return rounds > 1 && rounds % tile.elements() == 0 ? rounds - 1 : rounds;
  }

  /// Every element, against the rounds done one by one on the host.
  Check verify_round_by_round() const {
    int const n = tile.elements();
    auto const count = static_cast<std::size_t>(n);
    std::vector<std::int64_t> stored(static_cast<std::size_t>(tile.stored())), x(count);
    for (int i = 0; i < n; ++i) x[static_cast<std::size_t>(i)] = i;
    for (int round = 0; round < repeat; ++round) {
      for (int i = 0; i < n; ++i)
        stored[static_cast<std::size_t>(tile.at(store_columns, (i + shift) % n))] = x[static_cast<std::size_t>(i)];
      for (int i = 0; i < n; ++i)
        x[static_cast<std::size_t>(i)] = stored[static_cast<std::size_t>(tile.at(load_columns, i))] + 1;
    }
    auto const found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), out);
    Check check{true, static_cast<double>(n), 0, "probe: every element moved through the tile exactly"};
    for (std::size_t i = 0; i < count; ++i) {
      if (found(i) != static_cast<T>(x[i])) ++check.wrong;
    }
    check.passed = check.wrong == 0;
    if (!check.passed) check.detail += fmt::format("; {} of {} wrong", check.wrong, n);
    return check;
  }

  std::vector<Yardstick> yardsticks() const { return {}; }

  Arguments native_arguments(Case const&) const {
    return {out.data(), tile.width, tile.height, tile.pad, store_columns, load_columns, repeat, shift};
  }

  struct IsMoved {
    T const* out;
    std::int64_t last, factor;
    int repeat;
    KOKKOS_FUNCTION bool operator()(std::int64_t i) const {
      std::int64_t const source = i == last ? i : i * factor % last;
      return out[i] == static_cast<T>(source + repeat);
    }
  };
};

}  // namespace tilestride::tile_access
