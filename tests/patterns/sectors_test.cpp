// SPDX-License-Identifier: BSD-3-Clause

// Sectors against a brute force that knows nothing of alignment: it lists the address of every byte that a warp asks
// for, and counts the different sectors.

#include "patterns/sectors.hpp"

#include <gtest/gtest.h>

#include <set>

namespace tilestride {
namespace {

double by_listing(std::int64_t size, std::int64_t team, std::int64_t offset, std::int64_t stride, std::int64_t every) {
  std::int64_t sectors = 0, requests = 0;
  for (std::int64_t b = 0; b < 32; ++b) {  // a multiple of every period that there can be
    for (std::int64_t warp = 0; warp < team; warp += 32) {
      std::set<std::int64_t> touched;
      for (std::int64_t thread = warp; thread < warp + 32 && thread < team; thread += every) {
        std::int64_t const element = offset + (b * team + thread) * stride;
        for (std::int64_t byte = 0; byte < size; ++byte) touched.insert((element * size + byte) / 32);
      }
      sectors += static_cast<std::int64_t>(touched.size());
      ++requests;
    }
  }
  return static_cast<double>(sectors) / static_cast<double>(requests);
}

TEST(Sectors, TheTutorialsFigures) {
  EXPECT_EQ(sectors_per_request({4, 256}), 4);
  EXPECT_EQ(sectors_per_request({4, 256, 8}), 4);
  EXPECT_EQ(sectors_per_request({4, 256, 1}), 5);
  EXPECT_EQ(sectors_per_request({8, 256}), 8);
  EXPECT_EQ(sectors_per_request({8, 256, 4}), 8);
  EXPECT_EQ(sectors_per_request({8, 256, 5}), 9);
  EXPECT_EQ(sectors_per_request({4, 256, 0, 2}), 8);
  EXPECT_EQ(sectors_per_request({4, 256, 0, 8}), 32);
  EXPECT_EQ(sectors_per_request({4, 256, 0, 1000}), 32);
}

TEST(Sectors, EqualTheListedOnes) {
  for (std::int64_t const size : {2, 4, 8}) {
    for (std::int64_t const team : {1, 2, 31, 32, 33, 40, 100, 127}) {
      for (std::int64_t offset = 0; offset <= 33; ++offset) {
        for (std::int64_t const every : {1, 2})
          EXPECT_EQ(sectors_per_request({size, team, offset, 1, every}), by_listing(size, team, offset, 1, every))
              << size << " B, team " << team << ", offset " << offset << ", every " << every;
      }
      for (std::int64_t const stride : {2, 3, 5, 7, 8, 9, 16, 31, 32, 33, 65})
        EXPECT_EQ(sectors_per_request({size, team, 3, stride}), by_listing(size, team, 3, stride, 1))
            << size << " B, team " << team << ", stride " << stride;
    }
  }
}

TEST(Sectors, OfAThreadWhereWarpsAreNotWhole) {
  EXPECT_EQ(sectors_per_thread({4, 64}), 4.0 / 32);
  EXPECT_EQ(sectors_per_thread({4, 40}), 5.0 / 40);  // a whole warp and one of 8 lanes, aligned both
  EXPECT_EQ(sectors_per_thread({4, 1}), 1.0);
}

TEST(Sectors, NoStrideIsTooLarge) { EXPECT_EQ(sectors_per_request({8, 256, 0, INT64_MAX}), 32); }

}  // namespace
}  // namespace tilestride
