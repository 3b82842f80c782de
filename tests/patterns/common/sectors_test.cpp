// SPDX-License-Identifier: BSD-3-Clause

// Sectors against a brute force that knows nothing of alignment: it lists the address of every byte that a warp asks
// for, and counts the different sectors.

#include "patterns/common/sectors.hpp"

#include <gtest/gtest.h>

#include <set>

namespace tilestride {
namespace {

constexpr Hardware cuda_device() {
  Hardware device;
  device.warp = 32;
  device.sector = 32;
  return device;
}
constexpr Hardware cuda = cuda_device();

/// Lanes of a warp and bytes of a sector as no GPU has them.
constexpr Hardware wide_device() {
  Hardware device;
  device.warp = 64;
  device.sector = 128;
  return device;
}
constexpr Hardware wide = wide_device();

double by_listing(Hardware const& device, std::int64_t size, std::int64_t team, std::int64_t offset,
                  std::int64_t stride, std::int64_t every) {
  std::int64_t sectors = 0, requests = 0;
  for (std::int64_t b = 0; b < device.sector; ++b) {  // a multiple of every period that there can be
    for (std::int64_t warp = 0; warp < team; warp += device.warp) {
      std::set<std::int64_t> touched;
      for (std::int64_t thread = warp; thread < warp + device.warp && thread < team; thread += every) {
        std::int64_t const element = offset + (b * team + thread) * stride;
        for (std::int64_t byte = 0; byte < size; ++byte) touched.insert((element * size + byte) / device.sector);
      }
      sectors += static_cast<std::int64_t>(touched.size());
      ++requests;
    }
  }
  return static_cast<double>(sectors) / static_cast<double>(requests);
}

TEST(Sectors, TheTutorialsFigures) {
  EXPECT_EQ(sectors_per_request({4, 256}, cuda), 4);
  EXPECT_EQ(sectors_per_request({4, 256, 8}, cuda), 4);
  EXPECT_EQ(sectors_per_request({4, 256, 1}, cuda), 5);
  EXPECT_EQ(sectors_per_request({8, 256}, cuda), 8);
  EXPECT_EQ(sectors_per_request({8, 256, 4}, cuda), 8);
  EXPECT_EQ(sectors_per_request({8, 256, 5}, cuda), 9);
  EXPECT_EQ(sectors_per_request({4, 256, 0, 2}, cuda), 8);
  EXPECT_EQ(sectors_per_request({4, 256, 0, 8}, cuda), 32);
  EXPECT_EQ(sectors_per_request({4, 256, 0, 1000}, cuda), 32);
}

void expect_the_listed_ones(Hardware const& device) {
  auto const expect = [&](Walk const& walk) {
    EXPECT_EQ(sectors_per_request(walk, device),
              by_listing(device, walk.size, walk.team, walk.offset, walk.stride, walk.every))
        << walk.size << " B, team " << walk.team << ", offset " << walk.offset << ", stride " << walk.stride
        << ", every " << walk.every;
  };
  for (std::int64_t const size : {2, 4, 8}) {
    for (std::int64_t const team : {1, 2, 31, 32, 33, 40, 100, 127}) {
      for (std::int64_t offset = 0; offset <= 33; ++offset) {
        for (std::int64_t const every : {1, 2}) expect({size, team, offset, 1, every});
      }
      for (std::int64_t const stride : {2, 3, 5, 7, 8, 9, 16, 31, 32, 33, 65}) expect({size, team, 3, stride});
    }
  }
}

TEST(Sectors, EqualTheListedOnes) { expect_the_listed_ones(cuda); }
TEST(Sectors, EqualTheListedOnesOfAnotherWidth) { expect_the_listed_ones(wide); }

TEST(Sectors, AreUnknownWhereTheDeviceIs) {
  EXPECT_TRUE(has_sectors(cuda));
  EXPECT_FALSE(has_sectors({}));
}

TEST(Sectors, OfAThreadWhereWarpsAreNotWhole) {
  EXPECT_EQ(sectors_per_thread({4, 64}, cuda), 4.0 / 32);
  EXPECT_EQ(sectors_per_thread({4, 40}, cuda), 5.0 / 40);  // a whole warp and one of 8 lanes, aligned both
  EXPECT_EQ(sectors_per_thread({4, 1}, cuda), 1.0);
}

TEST(Sectors, NoStrideIsTooLarge) { EXPECT_EQ(sectors_per_request({8, 256, 0, INT64_MAX}, cuda), 32); }

}  // namespace
}  // namespace tilestride
