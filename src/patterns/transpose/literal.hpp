// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The kernels as tutorials write them: a tile of 32 x 32 for a team, moved element by element. With one element per
// thread (1024 threads) they are those whose figures are published. The other variants differ from them in that a
// thread has several elements and loads all of them before it stores the first.
//
// On a host one thread has the whole tile, and there is nothing to choose.

#include <tuple>

#include "patterns/common/scratch.hpp"
#include "patterns/transpose/problem.hpp"

namespace tilestride::transpose {

enum class Way { row_read, row_write, tiled, padded };

/// How the elements of a tile are dealt out: each thread has so many.
template <int PerThread>
struct Deal {
  static constexpr int threads = literal_tile * literal_tile / PerThread;
  static constexpr int width = threads < literal_tile ? threads : literal_tile;  ///< columns that a team covers at once
  static constexpr int height = threads / width;                                 ///< likewise, rows
  static std::string name() { return fmt::format("{}x{} threads", width, height); }
};

template <Way way>
struct Literal {
  static constexpr bool through_scratch = way == Way::tiled || way == Way::padded;
  static constexpr int pitch = literal_tile + (way == Way::padded ? 1 : 0);

  template <bool on_host, class T>
  using Blocks = std::conditional_t<on_host, std::tuple<Deal<literal_tile * literal_tile>>,
                                    std::tuple<Deal<1>, Deal<2>, Deal<4>, Deal<8>>>;

  struct Choice {
    std::string block;
  };

  template <class Exec, class T>
  static Choice choose(Transpose<Exec, T> const&, Device const&, Case const& c) {
    if (is_host<Exec>) return {Deal<literal_tile * literal_tile>::name()};
    return with_int(PerThreadCounts{}, c.integer("per_thread"),
                    [](auto per_thread) { return Choice{Deal<decltype(per_thread)::value>::name()}; });
  }

  template <class Block, class Exec, class T>
  static constexpr TeamShape shape() {
    return team_shape<Exec>(Block::threads, 1, through_scratch ? literal_tile * pitch * sizeof(T) : 0);
  }

  template <class Block, class Exec, class T>
  static void run(Transpose<Exec, T> const& p, Choice const&) {
    if constexpr (through_scratch) {
      if (p.marked) return launch<Block, true>(p);
    }
    launch<Block, false>(p);
  }

  template <class Block, bool marked, class Exec, class T>
  static void launch(Transpose<Exec, T> const& p) {
    constexpr bool by_rows_of_out = way == Way::row_write;
    Tiling<literal_tile> const tiling{by_rows_of_out ? p.cols : p.rows, by_rows_of_out ? p.rows : p.cols};
    constexpr TeamShape layout = shape<Block, Exec, T>();
    using Bounds = typename Traits<Exec>::template Bounds<Block::threads, 0>;
    auto const policy = Kokkos::TeamPolicy<Exec, Bounds>(p.exec, static_cast<int>(tiling.count()), layout.threads, 1)
                            .set_scratch_size(0, Kokkos::PerTeam(layout.scratch));
    using Member = typename std::decay_t<decltype(policy)>::member_type;
    Kokkos::parallel_for("tilestride::transpose::literal", policy,
                         Turn<Block, marked, Member, T>{tiling, p.in.data(), p.out.data(), p.rows, p.cols});
  }

  template <class Block, bool marked, class Member, class T>
  struct Turn {
    Tiling<literal_tile> tiling;
    T const* in;  ///< rows x cols
    T* out;       ///< cols x rows
    std::int64_t rows, cols;

    KOKKOS_FUNCTION void operator()(Member const& team) const {
      std::int64_t const first = tiling.first_row(team.league_rank());
      std::int64_t const second = tiling.first_column(team.league_rank());
      if constexpr (way == Way::row_read)
        for_each_own(team, [&](int y, int x) { move(first + y, second + x); });
      else if constexpr (way == Way::row_write)
        for_each_own(team, [&](int y, int x) { move(second + x, first + y); });
      else
        through(team, scratch_of<T>(team, literal_tile * pitch), first, second);
    }

    KOKKOS_FORCEINLINE_FUNCTION void move(std::int64_t row, std::int64_t col) const {
      if (row < rows && col < cols) out[col * rows + row] = in[row * cols + col];
    }

    KOKKOS_FORCEINLINE_FUNCTION void through(Member const& team, T* tile, std::int64_t row, std::int64_t col) const {
      for_each_own(team, [&](int y, int x) {
        if (row + y < rows && col + x < cols) tile[y * pitch + x] = in[(row + y) * cols + col + x];
      });
      team.team_barrier();
      if constexpr (marked) {
        for_each_own(team, [&](int y, int x) {
          if (row + y < rows && col + x < cols) tile[y * pitch + x] *= mark_of<T>(y * literal_tile + x);
        });
        team.team_barrier();
      }
      for_each_own(team, [&](int y, int x) {
        if (row + x < rows && col + y < cols) out[(col + y) * rows + row + x] = tile[x * pitch + y];
      });
    }

    /// body(y, x) for each element of a tile that the calling thread has; neighbouring threads have neighbouring x.
    template <class Body>
    KOKKOS_FORCEINLINE_FUNCTION static void for_each_own(Member const& team, Body const& body) {
      int const y = team.team_rank() / Block::width, x = team.team_rank() % Block::width;
      for (int down = 0; down < literal_tile; down += Block::height) {
        for (int across = 0; across < literal_tile; across += Block::width) body(y + down, x + across);
      }
    }
  };
};

}  // namespace tilestride::transpose
