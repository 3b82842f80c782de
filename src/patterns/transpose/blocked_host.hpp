// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The blocked transpose on a host. Squares as wide as a vector register are turned in registers. Matrices that the last
// cache holds are turned from `in` to `out` directly: a square reads and writes each line once, so that it does not
// matter how many lines of a column meet in one set of a cache. Larger ones go through a tile in a core's second-level
// cache, whose rows then go to memory past the caches: a core reads and writes memory at full speed only in long runs,
// and a line that is written whole need not be read first. What the prefetchers do not see, the next rows, is
// prefetched by instructions. The tile's pitch is no power of two, whatever the matrix has.
//
// The source for devices cannot serve: there a tile is as large as a team's registers, and each thread has a small
// square of it; here it is as large as half a cache, and one thread turns square after square.

#include <tuple>

#include "patterns/transpose/problem.hpp"
#include "patterns/transpose/square.hpp"
#include "portable/copy_past_caches.hpp"

namespace tilestride::transpose {

/// A tile of Rows x Columns of `in`.
template <int Rows, int Columns>
struct HostBlock {
  static constexpr int rows = Rows, columns = Columns;
  static std::string name() { return fmt::format("{}x{}", Rows, Columns); }
};

struct BlockedOnHost {
  template <bool on_host, class T>
  using Blocks =
      std::tuple<HostBlock<64, 64>, HostBlock<128, 128>, HostBlock<128, 256>, HostBlock<256, 128>, HostBlock<512, 64>>;

  struct Choice {
    std::string block;
    bool in_cache;
  };

  template <class Exec, class T>
  static Choice choose(Transpose<Exec, T> const& p, Device const& device, Case const& c) {
    std::string const& asked = c.choice("block");
    bool const in_cache = 2 * double(p.rows) * double(p.cols) * sizeof(T) <= device.last_cache * cached_share;
    return {asked != "auto" ? asked : in_cache ? "128x128" : "512x64", in_cache};
  }

  template <class Block, class Exec, class T>
  static TeamShape shape() {
    return {1, 1, Tile<Block, T>::bytes + host_line};
  }

  template <class Block, class Exec, class T>
  static void run(Transpose<Exec, T> const& p, Choice const& choice) {
    T const* const in = p.in.data();  // (rows, columns)
    T* const out = p.out.data();      // (columns, rows)
    std::int64_t const rows = p.rows, columns = p.cols;
    Parts const down(rows, Square<T>::edge, Block::rows), across(columns, Square<T>::edge, Block::columns);
    bool const in_cache = choice.in_cache;
    auto const policy = Kokkos::TeamPolicy<Exec>(p.exec, static_cast<int>(down.count() * across.count()), 1, 1)
                            .set_scratch_size(0, Kokkos::PerTeam(shape<Block, Exec, T>().scratch));
    using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
    Kokkos::parallel_for("tilestride::transpose::blocked", policy, [=](Member const& team) {
      std::int64_t const i = team.league_rank() / across.count(), j = team.league_rank() % across.count();
      T const* const from = in + down.begin(i) * columns + across.begin(j);
      T* const to = out + across.begin(j) * rows + down.begin(i);
      auto const high = static_cast<int>(down.size(i)), wide = static_cast<int>(across.size(j));
      if (in_cache) return turn_squares<0>(from, columns, to, rows, high, wide);
      using OfTeam = Tile<Block, T>;
      T* const tile = static_cast<T*>(team.team_scratch(0).get_shmem_aligned(OfTeam::bytes, host_line));
      turn_squares<rows_ahead>(from, columns, tile, OfTeam::pitch, high, wide);
      constexpr std::ptrdiff_t element = sizeof(T);
      copy_past_caches(to, rows * element, tile, OfTeam::pitch * element, wide, high * sizeof(T));
    });
  }

 private:
  static constexpr double cached_share = 0.5;  ///< of the last cache, that both matrices together may take
  static constexpr int rows_ahead = 16;        ///< of the prefetches

  /// A turned tile, with what is left over beside whole squares.
  template <class Block, class T>
  struct Tile {
    static constexpr int pitch = Block::rows + Square<T>::edge + host_line / int(sizeof(T));
    static constexpr int bytes = (Block::columns + Square<T>::edge) * pitch * int(sizeof(T));
  };
};

}  // namespace tilestride::transpose
