// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Each element from global memory alone: a row of A, the same for a whole warp, and a column of B, contiguous across
// it.

#include "patterns/common/product_tiles.hpp"

namespace tilestride::matmul {

/// Over any problem that has a, b and c: aat hands over A for B, seen by columns.
struct Simple {
  using Tiles = ProductTiles;

  template <int Tile, class Exec, class T>
  static constexpr TeamShape shape() {
    return product_team<Tile, Exec>(0);
  }

  template <int Tile, class Problem>
  static void run(Problem const& p) {
    using Exec = typename Problem::Exec;
    using T = typename Problem::Element;
    auto const a = p.a;  // (M, K)
    auto const b = p.b;  // (K, N)
    auto const c = p.c;  // (M, N)
    Tiling<Tile> const tiling{static_cast<std::int64_t>(c.extent(0)), static_cast<std::int64_t>(c.extent(1))};
    auto const policy = product_policy(p.exec, tiling, shape<Tile, Exec, T>());
    using Member = typename std::decay_t<decltype(policy)>::member_type;
    Kokkos::parallel_for(
        std::string(Problem::label) + "::simple", policy, KOKKOS_LAMBDA(Member const& team) {
          multiply(Share<Tile, Exec>(team.team_rank()), a, b, c, tiling.first_row(team.league_rank()),
                   tiling.first_column(team.league_rank()));
        });
  }

  /// What a thread owns of the tile of C at (row, col).
  template <int Tile, class Exec, class A, class B, class C>
  KOKKOS_INLINE_FUNCTION static void multiply(Share<Tile, Exec> const& own, A const& a, B const& b, C const& c,
                                              std::int64_t row, std::int64_t col) {
    if constexpr (Share<Tile, Exec>::edge == 1)
      multiply_element(a, b, c, row + own.row, col + own.column);
    else
      multiply_tile<Tile>(a, b, c, row, col);
  }

  /// On a device a thread makes one dot product.
  template <class A, class B, class C>
  KOKKOS_FORCEINLINE_FUNCTION static void multiply_element(A const& a, B const& b, C const& c, std::int64_t row,
                                                           std::int64_t col) {
    int const rows = inside(row, 1, static_cast<std::int64_t>(c.extent(0)));
    int const cols = inside(col, 1, static_cast<std::int64_t>(c.extent(1)));
    if (rows == 0 || cols == 0) return;
    auto const depth = static_cast<std::int64_t>(a.extent(1));
    auto const a_row = Kokkos::subview(a, row, Kokkos::ALL);
    auto const b_column = Kokkos::subview(b, Kokkos::ALL, col);
    typename C::value_type sum = 0;
    for (std::int64_t k = 0; k < depth; ++k) sum += a_row(k) * b_column(k);
    c(row, col) = sum;
  }

  /// On a host it makes the whole tile, with its vector lanes on neighbouring columns.
  template <int Tile, class A, class B, class C>
  KOKKOS_FORCEINLINE_FUNCTION static void multiply_tile(A const& a, B const& b, C const& c, std::int64_t row,
                                                        std::int64_t col) {
    auto const depth = static_cast<std::int64_t>(a.extent(1));
    int const rows = inside(row, Tile, static_cast<std::int64_t>(c.extent(0)));
    int const cols = inside(col, Tile, static_cast<std::int64_t>(c.extent(1)));
    typename C::value_type sum[Tile][Tile] = {};
    for (std::int64_t k = 0; k < depth; ++k) {
      for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < cols; ++j) sum[i][j] += a(row + i, k) * b(k, col + j);
      }
    }
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < cols; ++j) c(row + i, col + j) = sum[i][j];
    }
  }
};

}  // namespace tilestride::matmul
