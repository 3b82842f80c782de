// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The blocked product on a host. A tile of C stays in vector registers during a slice of K: per step of k an element of
// A for each row, broadcast, and a few vectors of B for all rows. The slice of B is packed into panels as wide as the
// tile, by all threads together; half a MiB of them stays in a core's second-level cache for all rows of A. A is read
// where it is: with few rows a tile the lines of a power-of-two pitch still find room in one set of the first-level
// cache, and packing A as well costs more than it gains.
//
// The source for devices cannot serve: there a thread of many holds a few columns of the tile and the team stages both
// matrices in scratch; here one thread has the whole tile, and caches stage.

#include <algorithm>
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

  template <class T>
  struct Choice {
    std::string block;
    Kokkos::View<T*, Kokkos::HostSpace> panels;
  };

  /// 24 sums, four vectors of B and a broadcast fill the 32 registers that come with vectors of 64 bytes; else there
  /// are 16.
  template <class Problem>
  static auto choose(Problem const& p, Device const&, Case const& c) {
    using T = typename Problem::Element;
    std::string const& asked = c.choice("block");
    return Choice<T>{asked != "auto"         ? asked
                     : Lanes<T>::bytes == 64 ? "6x4v256"
                                             : "6x2v256",
                     Kokkos::View<T*, Kokkos::HostSpace>(
                         Kokkos::view_alloc(Kokkos::WithoutInitializing, std::string(Problem::label) + "::panels"),
                         panel_elements(p.b.extent(1), p.b.extent(0)))};
  }

  /// The most that a slice of B takes when it is packed: 575 deep, and columns up to a multiple of the tile's.
  static constexpr std::size_t panel_elements(std::size_t n, std::size_t k) {
    return std::min<std::size_t>(k, 575) * (n + widest - 1);
  }

  template <class Block, class Exec, class T>
  static constexpr TeamShape shape() {
    return {};
  }

  template <class Block, class Problem>
  static void run(Problem const& p, Choice<typename Problem::Element> const& choice) {
    auto const depth = static_cast<std::int64_t>(p.b.extent(0));
    std::int64_t const slices = std::max<std::int64_t>(1, (depth + Block::depth / 2) / Block::depth);
    for (std::int64_t s = 0; s < slices; ++s) {
      std::int64_t const first = depth * s / slices;
      int const steps = static_cast<int>(depth * (s + 1) / slices - first);
      pack<Block>(p, choice.panels.data(), first, steps);
      multiply<Block>(p, choice.panels.data(), first, steps);
    }
  }

 private:
  static constexpr int widest = 64;

  template <class Block, class T>
  static constexpr int tile_columns = Block::vectors* Lanes<T>::count;

  /// panels[panel][k][column]: rows [first, first + steps) of B, zeros beside them. An item packs a few rows of one
  /// panel, so that a thread's items read along the rows.
  template <class Block, class Problem>
  static void pack(Problem const& p, typename Problem::Element* panels, std::int64_t first, int steps) {
    using Exec = typename Problem::Exec;
    using T = typename Problem::Element;
    constexpr int width = tile_columns<Block, T>;
    static_assert(width <= widest && Block::depth * 3 / 2 <= 576);
    constexpr int rows = 8;
    auto const b = p.b;  // (K, N)
    auto const n = static_cast<std::int64_t>(b.extent(1));
    std::int64_t const count = (n + width - 1) / width;
    Kokkos::parallel_for(
        std::string(Problem::label) + "::pack",
        Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(p.exec, 0, (steps + rows - 1) / rows * count),
        [=](std::int64_t item) {
          std::int64_t const panel = item % count;
          int const begin = static_cast<int>(item / count) * rows;
          std::int64_t const column = panel * width;
          auto const filled = static_cast<int>(std::min<std::int64_t>(width, n - column));
          for (int k = begin; k < std::min(begin + rows, steps); ++k) {
            T* const to = panels + (panel * steps + k) * width;
            for (int j = 0; j < filled; ++j) to[j] = b(first + k, column + j);
            for (int j = filled; j < width; ++j) to[j] = 0;
          }
        });
  }

  /// C (+)= slice of A times slice of B. An item is a strip of tiles, one below the other's rows, as many side by side
  /// as keep their panels in the second-level cache; fewer where there would not be a few items for each thread.
  template <class Block, class Problem>
  static void multiply(Problem const& p, typename Problem::Element const* panels, std::int64_t first, int steps) {
    using Exec = typename Problem::Exec;
    using T = typename Problem::Element;
    constexpr int width = tile_columns<Block, T>;
    T const* const a = p.a.data();  // (M, K)
    T* const c = p.c.data();        // (M, N)
    auto const m = static_cast<std::int64_t>(p.c.extent(0));
    auto const n = static_cast<std::int64_t>(p.c.extent(1));
    auto const pitch = static_cast<std::int64_t>(p.a.extent(1));
    std::int64_t const down = (m + Block::rows - 1) / Block::rows;
    std::int64_t const across = (n + width - 1) / width;
    constexpr std::int64_t cached = std::max<std::int64_t>(1, (1 << 19) / (width * Block::depth * int(sizeof(T))));
    std::int64_t const side = std::clamp<std::int64_t>(down * across / (8 * p.exec.concurrency()), 1, cached);
    std::int64_t const strips = (across + side - 1) / side;
    Kokkos::parallel_for(
        std::string(Problem::label) + "::blocked",
        Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(p.exec, 0, strips * down), [=](std::int64_t item) {
          std::int64_t const row = item % down * Block::rows;
          std::int64_t const begin = item / down * side;
          Tile<T> const tile{a + row * pitch + first, pitch, c + row * n, n, steps, first > 0};
          auto const rows = static_cast<int>(std::min<std::int64_t>(Block::rows, m - row));
          for (std::int64_t panel = begin; panel < std::min(begin + side, across); ++panel) {
            std::int64_t const column = panel * width;
            tile.template multiply<Block>(panels + panel * steps * width, column, rows,
                                          static_cast<int>(std::min<std::int64_t>(width, n - column)),
                                          std::make_integer_sequence<int, Block::rows * Block::vectors>{});
          }
        });
  }

  template <class T>
  struct Tile {
    using Vector = typename Lanes<T>::Vector;
    T const* a;  ///< its first row, at the slice
    std::int64_t a_pitch;
    T* c;  ///< its first row
    std::int64_t c_pitch;
    int steps;
    bool add;  ///< to what earlier slices left in C

    /// rows x columns of the tile are inside C. All of it is computed: rows beyond the last repeat it. S numbers the
    /// sums: of loops over rows and vectors GCC would decide what lives in registers before it unrolls the outer one.
    template <class Block, int... S>
    void multiply(T const* panel, std::int64_t column, int rows, int columns, std::integer_sequence<int, S...>) const {
      constexpr int vectors = Block::vectors, lanes = Lanes<T>::count;
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
          y[j] = Lanes<T>::load(panel + (k * vectors + j) * lanes);
          __builtin_prefetch(panel + ((k + 8) * vectors + j) * lanes);
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
