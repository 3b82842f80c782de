// SPDX-License-Identifier: BSD-3-Clause
#include "patterns/reduce/levels.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace tilestride::reduce {
namespace {

struct Launch {
  std::int64_t n, teams;
};

/// Sums 0 + 1 + … + n - 1 level by level on the host, each team a chunk at a time, and says what was launched.
std::vector<Launch> levels_of(std::int64_t n, std::int64_t chunk, std::int64_t most_teams) {
  std::vector<std::int64_t> in(static_cast<std::size_t>(n)), partials(static_cast<std::size_t>(partials_of(n)));
  std::iota(in.begin(), in.end(), 0);
  std::int64_t sum = -1;
  std::vector<Launch> launches;
  by_levels<std::int64_t>(in.data(), n, partials.data(), &sum, chunk, most_teams,
                          [&](std::int64_t const* from, std::int64_t count, std::int64_t* to, std::int64_t teams) {
                            launches.push_back({count, teams});
                            bool const last = to == &sum;
                            EXPECT_EQ(last, teams == 1);
                            if (!last) {
                              EXPECT_GE(to, partials.data());
                              EXPECT_LE(to + teams, partials.data() + partials.size());
                              EXPECT_EQ((to - partials.data()) % 32, 0);
                            }
                            std::fill(to, to + teams, 0);
                            for (std::int64_t i = 0; i < count; ++i) to[i / chunk % teams] += from[i];
                          });
  EXPECT_EQ(sum, n * (n - 1) / 2);
  return launches;
}

TEST(Levels, OneTeamIsEnoughForOneChunk) {
  for (std::int64_t const n : {1, 2, 255, 256}) EXPECT_EQ(levels_of(n, 256, INT64_MAX).size(), 1u) << n;
}

TEST(Levels, AsManyAsTheChunksDivide) {
  auto const launches = levels_of(256 * 256 + 1, 256, INT64_MAX);
  ASSERT_EQ(launches.size(), 3u);
  EXPECT_EQ(launches[0].teams, 257);
  EXPECT_EQ(launches[1].n, 257);
  EXPECT_EQ(launches[1].teams, 2);
  EXPECT_EQ(launches[2].n, 2);
  EXPECT_EQ(launches[2].teams, 1);
}

TEST(Levels, NoMoreTeamsThanAllowed) {
  auto const launches = levels_of(1'000'003, 4096, 132);
  ASSERT_EQ(launches.size(), 2u);
  EXPECT_EQ(launches[0].teams, 132);
  EXPECT_EQ(launches[1].n, 132);
  EXPECT_EQ(levels_of(1'000'003, 4096, 1).size(), 1u);
}

TEST(Levels, PartialSumsOfHugeArraysFit) {
  EXPECT_EQ(partials_of(1), 0);
  EXPECT_EQ(partials_of(2), 32);
  // 2^40 elements: 2^32 + 2^24 + 2^16 + 2^8 partial sums, and the line of the last.
  EXPECT_EQ(partials_of(std::int64_t{1} << 40), (std::int64_t{1} << 32) + (1 << 24) + (1 << 16) + (1 << 8) + 32);
}

}  // namespace
}  // namespace tilestride::reduce
