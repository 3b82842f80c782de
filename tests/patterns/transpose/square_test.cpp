// SPDX-License-Identifier: BSD-3-Clause
#include "patterns/transpose/square.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace tilestride::transpose {
namespace {

TEST(Parts, TileEveryExtent) {
  for (int const edge : {2, 8, 16}) {
    for (int const most : {64, 128, 512}) {
      for (std::int64_t extent = 1; extent < 1300; ++extent) {
        Parts const parts(extent, edge, most);
        std::int64_t end = 0;
        for (std::int64_t i = 0; i < parts.count(); ++i) {
          ASSERT_EQ(parts.begin(i), end);
          ASSERT_EQ(end % edge, 0);
          ASSERT_GE(parts.size(i), std::min<std::int64_t>(extent, edge));
          ASSERT_LT(parts.size(i), most + edge) << extent << " in parts of " << most;
          end += parts.size(i);
        }
        ASSERT_EQ(end, extent);
      }
    }
  }
}

template <class T>
class TurnSquares : public ::testing::Test {};
using Elements = ::testing::Types<float, double, std::int32_t>;
TYPED_TEST_SUITE(TurnSquares, Elements);

/// Against a loop over all elements, with pitches longer than the rows, whose gaps must stay as they are.
TYPED_TEST(TurnSquares, TurnsPiecesOfAnySize) {
  for (int const rows : {1, 3, 15, 16, 17, 31, 32, 45, 64}) {
    for (int const columns : {1, 2, 7, 8, 9, 16, 33, 48, 65}) {
      int const from_pitch = columns + 3, to_pitch = rows + 5;
      std::vector<TypeParam> from(static_cast<std::size_t>(rows * from_pitch)),
          to(static_cast<std::size_t>(columns * to_pitch), TypeParam(-1)), wanted = to;
      std::iota(from.begin(), from.end(), TypeParam(1));
      for (int r = 0; r < rows; ++r) {
        for (int c = 0; c < columns; ++c)
          wanted[static_cast<std::size_t>(c * to_pitch + r)] = from[static_cast<std::size_t>(r * from_pitch + c)];
      }
      turn_squares<0>(from.data(), from_pitch, to.data(), to_pitch, rows, columns);
      ASSERT_EQ(to, wanted) << rows << " x " << columns;
      std::fill(to.begin(), to.end(), TypeParam(-1));
      turn_squares<16>(from.data(), from_pitch, to.data(), to_pitch, rows, columns);
      ASSERT_EQ(to, wanted) << rows << " x " << columns << ", with prefetches";
      std::fill(to.begin(), to.end(), TypeParam(-1));
      turn_squares<16, 16>(from.data(), from_pitch, to.data(), to_pitch, rows, columns);
      ASSERT_EQ(to, wanted) << rows << " x " << columns << ", with prefetches of both";
    }
  }
}

}  // namespace
}  // namespace tilestride::transpose
