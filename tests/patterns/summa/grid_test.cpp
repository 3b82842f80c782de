// SPDX-License-Identifier: BSD-3-Clause
#include "patterns/summa/grid.hpp"

#include <gtest/gtest.h>

namespace tilestride::summa {
namespace {

TEST(Grid, IsAsSquareAsTheNumberOfRanksAllows) {
  struct Expected {
    int ranks, rows, columns;
  };
  for (auto const& [ranks, rows, columns] :
       {Expected{1, 1, 1}, {2, 1, 2}, {3, 1, 3}, {4, 2, 2}, {6, 2, 3}, {8, 2, 4}, {12, 3, 4}, {16, 4, 4}}) {
    Grid const grid = Grid::of(ranks);
    EXPECT_EQ(grid.rows, rows) << ranks;
    EXPECT_EQ(grid.columns, columns) << ranks;
    for (int rank = 0; rank < ranks; ++rank) EXPECT_EQ(grid.rank(grid.row(rank), grid.column(rank)), rank);
  }
}

TEST(Slices, HaveOneOwnerInARowAndOneInAColumn) {
  Grid const grid = Grid::of(6);  // 2 x 3
  Slices const slices{grid, 72, 2 * grid.slices()};
  std::int64_t const of_a = slices.n / grid.columns, of_b = slices.n / grid.rows;  // that a rank has of the depth
  for (std::int64_t slice = 0; slice < slices.count; ++slice) {
    std::int64_t const first = slice * slices.width(), last = first + slices.width() - 1;
    EXPECT_EQ(slices.owning_column(slice), first / of_a);
    EXPECT_EQ(slices.owning_column(slice), last / of_a);
    EXPECT_EQ(slices.owning_row(slice), first / of_b);
    EXPECT_EQ(slices.owning_row(slice), last / of_b);
  }
}

}  // namespace
}  // namespace tilestride::summa
