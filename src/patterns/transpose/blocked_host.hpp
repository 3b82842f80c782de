// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The blocked transpose on a host. Squares as wide as a vector register are turned in registers. Matrices that the last
// cache holds are turned from `in` to `out` directly, where rows of `out` lie well in the first-level cache: a square
// whose rows begin within a line writes a part of each, and finds it there when it comes to the other part. Where too
// many rows meet in one set of that cache (their pitch is near a part of 4 KiB), squares go through a tile in it.
// Matrices that the last cache holds in part are turned directly, too; what the prefetchers do not see, the next rows
// of both, is prefetched by instructions.
//
// Larger matrices go through a tile in a core's second-level cache, whose rows then go to memory past the caches: a
// core reads and writes memory at full speed only in long runs, and a line that is written whole need not be read
// first. Where rows of `out` begin within a line, a run's ends are written in part: the tile is higher there, so that
// runs are longer. A tile's pitch is no power of two, whatever the matrix has.
//
// The source for devices cannot serve: there a tile is as large as a team's registers, and each thread has a small
// square of it; here it is as large as half a cache, and one thread turns square after square.

#include <algorithm>
#include <array>
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
      std::tuple<HostBlock<64, 64>, HostBlock<128, 64>, HostBlock<128, 128>, HostBlock<256, 256>, HostBlock<64, 512>>;

  enum class Way { direct, prefetching, by_tile, past_caches };

  struct Choice {
    std::string block;
    Way way;
  };

  template <class Exec, class T>
  static Choice choose(Transpose<Exec, T> const& p, Device const& device, Case const& c) {
    std::string const& asked = c.choice("block");
    std::int64_t const pitch = p.rows * std::int64_t(sizeof(T));
    double const both = 2 * double(p.rows) * double(p.cols) * sizeof(T);
    bool const spread = most_in_a_set(pitch, 128) <= ways;
    Choice choice;
    choice.way = both <= device.last_cache * cached                     ? (spread ? Way::direct : Way::by_tile)
                 : both <= device.last_cache * cached_in_part && spread ? Way::prefetching
                                                                        : Way::past_caches;
    choice.block = asked != "auto"                  ? asked
                   : choice.way == Way::by_tile     ? (sizeof(T) == 4 ? "128x64" : "64x64")
                   : choice.way != Way::past_caches ? "128x128"
                   : pitch % host_line == 0         ? "64x512"
                                                    : "256x256";
    return choice;
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
    Way const way = choice.way;
    auto const policy = Kokkos::TeamPolicy<Exec>(p.exec, static_cast<int>(down.count() * across.count()), 1, 1)
                            .set_scratch_size(0, Kokkos::PerTeam(shape<Block, Exec, T>().scratch));
    using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
    Kokkos::parallel_for("tilestride::transpose::blocked", policy, [=](Member const& team) {
      std::int64_t const i = team.league_rank() / across.count(), j = team.league_rank() % across.count();
      T const* const from = in + down.begin(i) * columns + across.begin(j);
      T* const to = out + across.begin(j) * rows + down.begin(i);
      auto const high = static_cast<int>(down.size(i)), wide = static_cast<int>(across.size(j));
      if (way == Way::direct) return turn_squares<0>(from, columns, to, rows, high, wide);
      if (way == Way::prefetching) return turn_squares<ahead, ahead>(from, columns, to, rows, high, wide);
      using OfTeam = Tile<Block, T>;
      T* const tile = static_cast<T*>(team.team_scratch(0).get_shmem_aligned(OfTeam::bytes, host_line));
      constexpr std::ptrdiff_t element = sizeof(T), pitch = OfTeam::pitch * element;
      if (way == Way::by_tile) {
        turn_squares<0>(from, columns, tile, OfTeam::pitch, high, wide);
        copy_rows(to, rows * element, tile, pitch, wide, high * sizeof(T));
      } else {
        turn_squares<ahead>(from, columns, tile, OfTeam::pitch, high, wide);
        copy_past_caches(to, rows * element, tile, pitch, wide, high * sizeof(T));
      }
    });
  }

 private:
  // Of the last cache, what both matrices together may take. Measured on an EPYC with 32 MiB.
  static constexpr double cached = 0.5, cached_in_part = 1.4;
  static constexpr int ahead = 16;  ///< rows, of the prefetches
  static constexpr int ways = 8;    ///< lines that a set of a first-level cache holds, at the least

  /// Of so many rows with that pitch in bytes, how many begin in the same set of a first-level cache, which has 4 KiB
  /// in each way, as pages have.
  static int most_in_a_set(std::int64_t pitch, int rows) {
    std::array<int, 4096 / host_line> in_set{};
    int most = 0;
    for (int row = 0; row < rows; ++row) most = std::max(most, ++in_set[row * pitch / host_line % in_set.size()]);
    return most;
  }

  /// A turned tile, with what is left over beside whole squares.
  template <class Block, class T>
  struct Tile {
    static constexpr int pitch = Block::rows + Square<T>::edge + host_line / int(sizeof(T));
    static constexpr int bytes = (Block::columns + Square<T>::edge) * pitch * int(sizeof(T));
  };
};

}  // namespace tilestride::transpose
