// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The blocked transpose on a host. Squares are turned in vector registers of 16 bytes, which every CPU has and every
// compiler shuffles well, and laid into a tile in a core's second-level cache, whose rows then go to `out` in one
// piece: a core reads and writes memory at full speed only in long runs, which its prefetchers see. What they do not
// see, the next rows, is prefetched by instructions. The tile's pitch is no power of two, whatever the matrix has, so
// that its columns do not meet in one set of the cache.
//
// The source for devices cannot serve: there a tile is as large as a team's registers, and each thread has a small
// square of it; here it is as large as half a cache, and one thread turns square after square.

#include <algorithm>
#include <cstring>
#include <tuple>
#include <utility>

#include "patterns/transpose/problem.hpp"

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
  };

  template <class Exec, class T>
  static Choice choose(Transpose<Exec, T> const&, Device const&, Case const& c) {
    std::string const& asked = c.choice("block");
    return {asked != "auto" ? asked : sizeof(T) == 8 ? "128x128" : "256x128"};
  }

  template <class Block, class Exec, class T>
  static TeamShape shape() {
    return {1, 1, Turned<Block, T>::bytes + Turned<Block, T>::line};
  }

  template <class Block, class Exec, class T>
  static void run(Transpose<Exec, T> const& p, Choice const&) {
    using Tile = Turned<Block, T>;
    T const* const in = p.in.data();  // (rows, columns)
    T* const out = p.out.data();      // (columns, rows)
    std::int64_t const rows = p.rows, columns = p.cols;
    std::int64_t const across = (columns + Block::columns - 1) / Block::columns;
    std::int64_t const down = (rows + Block::rows - 1) / Block::rows;
    auto const policy = Kokkos::TeamPolicy<Exec>(p.exec, static_cast<int>(across * down), 1, 1)
                            .set_scratch_size(0, Kokkos::PerTeam(shape<Block, Exec, T>().scratch));
    using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
    Kokkos::parallel_for("tilestride::transpose::blocked", policy, [=](Member const& team) {
      std::int64_t const row = team.league_rank() / across * Block::rows;
      std::int64_t const column = team.league_rank() % across * Block::columns;
      Tile const tile{static_cast<T*>(team.team_scratch(0).get_shmem_aligned(Tile::bytes, Tile::line)),
                      static_cast<int>(std::min<std::int64_t>(Block::rows, rows - row)),
                      static_cast<int>(std::min<std::int64_t>(Block::columns, columns - column))};
      tile.read(in + row * columns + column, columns);
      tile.write(out + column * rows + row, rows);
    });
  }

 private:
  template <class Block, class T>
  struct Turned {
    static constexpr int edge = 16 / int(sizeof(T));  ///< of a square
    static constexpr int ahead = 8;                   ///< rows, of the prefetches
    static constexpr int line = 64;                   ///< bytes of a cache line
    static constexpr int pitch = Block::rows + line / int(sizeof(T));
    static constexpr int bytes = Block::columns * pitch * int(sizeof(T));
    using Row [[gnu::vector_size(edge * sizeof(T))]] = T;

    T* tile;  ///< (Block::columns, pitch)
    int rows, columns;

    void read(T const* from, std::int64_t from_pitch) const {
      int const whole_rows = rows / edge * edge, whole_columns = columns / edge * edge;
      for (int r = 0; r < whole_rows; r += edge) {
        for (int c = 0; c < whole_columns; c += edge) {
          T const* const square = from + r * from_pitch + c;
          if (c % (line / int(sizeof(T))) == 0) {
            for (int i = 0; i < edge; ++i) __builtin_prefetch(square + (ahead + i) * from_pitch);
          }
          turn(square, from_pitch, tile + c * pitch + r);
        }
      }
      for (int r = 0; r < rows; ++r) {
        for (int c = r < whole_rows ? whole_columns : 0; c < columns; ++c)
          tile[c * pitch + r] = from[r * from_pitch + c];
      }
    }

    void write(T* to, std::int64_t to_pitch) const {
      for (int c = 0; c < columns; ++c) {
        for (int r = 0; r < rows; r += line / int(sizeof(T))) __builtin_prefetch(to + (c + 1) * to_pitch + r, 1);
        std::memcpy(to + c * to_pitch, tile + c * pitch, static_cast<std::size_t>(rows) * sizeof(T));
      }
    }

    /// A square of 2 x 2 is turned when each row has been interleaved with the one half the square below it; one of 4 x
    /// 4 when that was done twice.
    static void turn(T const* from, std::int64_t from_pitch, T* to) {
      Row x[edge], y[edge];
      for (int i = 0; i < edge; ++i) std::memcpy(&x[i], from + i * from_pitch, sizeof(Row));
      interleave(x, y, std::make_integer_sequence<int, edge>{});
      if constexpr (edge == 4) {
        interleave(y, x, std::make_integer_sequence<int, edge>{});
        std::copy_n(x, edge, y);
      }
      for (int i = 0; i < edge; ++i) std::memcpy(to + i * pitch, &y[i], sizeof(Row));
    }

    template <int... I>
    static void interleave(Row const (&x)[edge], Row (&y)[edge], std::integer_sequence<int, I...>) {
      for (int i = 0; i < edge / 2; ++i) {
        pick<(I / 2 + I % 2 * edge)...>(x[i], x[i + edge / 2], y[2 * i]);
        pick<(edge / 2 + I / 2 + I % 2 * edge)...>(x[i], x[i + edge / 2], y[2 * i + 1]);
      }
    }

    /// The elements of two rows that I numbers. From copies, which are in registers, GCC makes one shuffle of it; else
    /// it sees through all rounds and gathers the square element by element.
    template <int... I>
    static void pick(Row const& first, Row const& second, Row& to) {
      Row const x = first, y = second;
      to = Row{(I < edge ? x : y)[I % edge]...};
    }
  };
};

}  // namespace tilestride::transpose
