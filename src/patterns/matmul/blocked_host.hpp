// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The blocked product on a host. C is cut into parts, one for each item of work, and an item needs no other: of its
// columns it packs a slice of B into panels as wide as a tile, half a MiB of them, which stay in its core's
// second-level cache while its rows of A are multiplied with them, slice after slice. A tile of C stays in vector
// registers during a slice: per step of k an element of A for each row, broadcast, and a few vectors of B for all rows.
// A is read where it is: with few rows a tile the lines of a power-of-two pitch still find room in one set of the
// first-level cache, and packing A as well costs more than it gains.
//
// The source for devices cannot serve: there a thread of many holds a few columns of the tile and the team stages both
// matrices in scratch; here one thread has the whole tile, and caches stage.

#include <algorithm>
#include <limits>
#include <string>
#include <tuple>

#include "portable/lanes.hpp"
#include "portable/prepare.hpp"

namespace tilestride::matmul {

/// A tile of Rows x Vectors vectors, in slices of K that are Depth deep, give or take a half.
template <int Rows, int Vectors, int Depth>
struct HostBlock {
  static constexpr int rows = Rows, vectors = Vectors, depth = Depth;
  static std::string name() { return fmt::format("{}x{}v{}", Rows, Vectors, Depth); }
};

/// Over any problem that has a, b and c: aat hands over A for B, seen by columns.
struct BlockedOnHost {
  template <bool on_host, class T>
  using Blocks = std::tuple<HostBlock<6, 4, 256>, HostBlock<6, 4, 384>, HostBlock<8, 3, 256>, HostBlock<12, 2, 256>,
                            HostBlock<6, 2, 256>>;

  struct Choice {
    std::string block;
  };

  /// 24 sums, four vectors of B and a broadcast fill the 32 registers that come with vectors of 64 bytes; else there
  /// are 16.
  template <class Problem>
  static Choice choose(Problem const&, Device const&, Case const& c) {
    std::string const& asked = c.choice("block");
    return {asked != "auto" ? asked : Lanes<typename Problem::Element>::bytes == 64 ? "6x4v256" : "6x2v256"};
  }

  template <class Block, class Exec, class T>
  static constexpr TeamShape shape() {
    return {1, 1, Panels<Block, T>::bytes + host_line};
  }

  template <class Block, class Problem>
  static void run(Problem const& p, Choice const&) {
    using Exec = typename Problem::Exec;
    using T = typename Problem::Element;
    using OfB = Panels<Block, T>;
    auto const m = static_cast<std::int64_t>(p.c.extent(0)), n = static_cast<std::int64_t>(p.c.extent(1));
    std::int64_t const down = (m + Block::rows - 1) / Block::rows, across = (n + OfB::width - 1) / OfB::width;
    Cut const cut = cut_for(p.exec.concurrency(), down, across, OfB::most, Block::rows);
    T const* const a = p.a.data();  // (M, K)
    auto const b = p.b;             // (K, N)
    T* const c = p.c.data();        // (M, N)
    auto const depth = static_cast<std::int64_t>(b.extent(0));
    std::int64_t const slices = std::max<std::int64_t>(1, (depth + Block::depth / 2) / Block::depth);
    auto const policy = Kokkos::TeamPolicy<Exec>(p.exec, static_cast<int>(cut.down * cut.across), 1, 1)
                            .set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(shape<Block, Exec, T>().scratch)));
    using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
    Kokkos::parallel_for(std::string(Problem::label) + "::blocked", policy, [=](Member const& team) {
      std::int64_t const i = team.league_rank() / cut.across, j = team.league_rank() % cut.across;
      std::int64_t const top = down * i / cut.down * Block::rows,
                         end = std::min(m, down * (i + 1) / cut.down * Block::rows);
      std::int64_t const left = across * j / cut.across * OfB::width,
                         right = std::min(n, across * (j + 1) / cut.across * OfB::width);
      OfB const panels{static_cast<T*>(team.team_scratch(0).get_shmem_aligned(OfB::bytes, host_line))};
      for (std::int64_t s = 0; s < slices; ++s) {
        std::int64_t const first = depth * s / slices;
        int const steps = static_cast<int>(depth * (s + 1) / slices - first);
        panels.pack(b, first, steps, left, right);
        for (std::int64_t row = top; row < end; row += Block::rows) {
          Tile<T> const tile{a + row * depth + first, depth, c + row * n, n, steps, s > 0};
          auto const rows = static_cast<int>(std::min<std::int64_t>(Block::rows, end - row));
          for (std::int64_t column = left; column < right; column += OfB::width)
            tile.template multiply<Block>(panels.at(column - left, steps), column, rows,
                                          static_cast<int>(std::min<std::int64_t>(OfB::width, right - column)));
        }
      }
    });
  }

 private:
  /// A slice of B, packed: panels[panel][k][column], zeros beside the last column.
  template <class Block, class T>
  struct Panels {
    static constexpr int width = Block::vectors * Lanes<T>::count;
    static constexpr int deepest = Block::depth * 3 / 2;  ///< of the slices that a depth is cut into
    static constexpr int most = std::max<int>(1, (1 << 19) / (width * Block::depth * int(sizeof(T))));
    static constexpr std::size_t bytes = std::size_t(most) * deepest * width * sizeof(T);

    T* elements;

    T* at(std::int64_t column, int steps) const { return elements + column * steps; }

    /// Rows [first, first + steps) and columns [left, right) of B.
    template <class B>
    void pack(B const& b, std::int64_t first, int steps, std::int64_t left, std::int64_t right) const {
      for (int k = 0; k < steps; ++k) {
        for (std::int64_t column = left; column < right; column += width) {
          T* const to = at(column - left, steps) + k * width;
          auto const filled = static_cast<int>(std::min<std::int64_t>(width, right - column));
          if (filled == width) {
            for (int j = 0; j < width; ++j) to[j] = b(first + k, column + j);
          } else {
            for (int j = 0; j < filled; ++j) to[j] = b(first + k, column + j);
            for (int j = filled; j < width; ++j) to[j] = 0;
          }
        }
      }
    }
  };

  /// The number of parts of C, down and across.
  struct Cut {
    std::int64_t down, across;
  };

  /// A part has at most `most` panels and at least one, and whole tiles. Of what keeps all threads busy the cut whose
  /// threads take the least time: a part's rows, and as many more as packing B for them takes.
  static Cut cut_for(std::int64_t threads, std::int64_t down, std::int64_t across, std::int64_t most, int rows) {
    std::int64_t const narrowest = (across + most - 1) / most;
    std::int64_t const in_rounds = std::min(across, (narrowest + threads - 1) / threads * threads);
    Cut best{1, narrowest};
    double least = std::numeric_limits<double>::infinity();
    for (std::int64_t const columns : {narrowest, in_rounds}) {
      for (std::int64_t i = 1; i <= std::min(down, threads); ++i) {
        std::int64_t const rounds = (i * columns + threads - 1) / threads;
        std::int64_t const tiles = (down + i - 1) / i, panels = (across + columns - 1) / columns;
        double const time = double(rounds * panels) * (double(tiles * rows) + rows_of_packing);
        if (time < least) best = {i, columns}, least = time;
      }
    }
    return best;
  }

  static constexpr double rows_of_packing = 16;  ///< of a tile, whose multiply-adds take as long

  template <class T>
  struct Tile {
    using Vector = typename Lanes<T>::Vector;
    T const* a;  ///< its first row, at the slice
    std::int64_t a_pitch;
    T* c;  ///< its first row
    std::int64_t c_pitch;
    int steps;
    bool add;  ///< to what earlier slices left in C

    /// rows x columns of the tile are inside C.
    template <class Block>
    void multiply(T const* panel, std::int64_t column, int rows, int columns) const {
      with_int(std::make_integer_sequence<int, Block::vectors>{}, (columns - 1) / lanes, [&](auto last) {
        vectors_of<Block, decltype(last)::value + 1>(panel, column, rows, columns,
                                                     std::make_integer_sequence<int, Block::rows*(last + 1)>{});
      });
    }

   private:
    static constexpr int lanes = Lanes<T>::count;

    /// The first `vectors` vectors of the tile, of which columns beyond the last are zero; rows beyond the last repeat
    /// it. S numbers the sums: of loops over rows and vectors GCC would decide what lives in registers before it
    /// unrolls the outer one.
    template <class Block, int vectors, int... S>
    void vectors_of(T const* panel, std::int64_t column, int rows, int columns,
                    std::integer_sequence<int, S...>) const {
      T const* a_row[Block::rows];
      T* c_row[Block::rows];
      for (int i = 0; i < Block::rows; ++i) {
        a_row[i] = a + std::min(i, rows - 1) * a_pitch;
        c_row[i] = c + std::min(i, rows - 1) * c_pitch + column;
        for (int j = 0; j < vectors; ++j) __builtin_prefetch(c_row[i] + j * lanes, 0, 2);
      }
      Vector sum[sizeof...(S)] = {};
      for (int k = 0; k < steps; ++k) {
        Vector y[vectors];
        for (int j = 0; j < vectors; ++j) {
          y[j] = Lanes<T>::load(panel + (k * Block::vectors + j) * lanes);
          __builtin_prefetch(panel + ((k + 8) * Block::vectors + j) * lanes);
        }
        ((sum[S] += a_row[S / vectors][k] * y[S % vectors]), ...);
      }
      bool const whole = rows == Block::rows && columns == vectors * lanes;
      T edge[Block::rows][vectors * lanes];
      (store((whole ? c_row[S / vectors] : edge[S / vectors]) + S % vectors * lanes, sum[S], add && whole), ...);
      if (whole) return;
      for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < columns; ++j) c_row[i][j] = add ? c_row[i][j] + edge[i][j] : edge[i][j];
      }
    }

    static void store(T* to, Vector const& sum, bool add) { Lanes<T>::store(to, add ? Lanes<T>::load(to) + sum : sum); }
  };
};

}  // namespace tilestride::matmul
