// SPDX-License-Identifier: BSD-3-Clause
// In which order groups of tiles of a product on matrix units are made. Needs no GPU.
#include <gtest/gtest.h>

#include <algorithm>

#include "cuda/tensor.hpp"

namespace tilestride::cuda {
namespace {

TEST(TensorTiles, GoThroughBandsColumnByColumn) {
  for (int down = 1; down <= 30; ++down) {
    for (int across = 1; across <= 8; ++across) {
      for (int height = 1; height <= 33; ++height) {
        TensorTiles const tiles(down, across, height);
        ASSERT_EQ(tiles.count(), down * across);
        int group = 0;
        for (int first = 0; first < down; first += height) {
          for (int column = 0; column < across; ++column) {
            for (int row = first; row < std::min(first + height, down); ++row, ++group) {
              int2 const place = tiles[group];
              ASSERT_EQ(place.x, row) << group << " of " << down << " x " << across << " in bands of " << height;
              ASSERT_EQ(place.y, column) << group << " of " << down << " x " << across << " in bands of " << height;
            }
          }
        }
        ASSERT_EQ(group, tiles.count());
      }
    }
  }
}

}  // namespace
}  // namespace tilestride::cuda
