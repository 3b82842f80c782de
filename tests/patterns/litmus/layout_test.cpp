// SPDX-License-Identifier: BSD-3-Clause

// The versions that slots hold, against rounds that are played one by one.
#include "patterns/litmus/layout.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace tilestride::litmus {
namespace {

TEST(LitmusLayout, SlotsHoldTheVersionOfTheirLastRound) {
  std::vector<std::int64_t> versions(slots, 0);
  for (std::int64_t rounds = 0; rounds < 3 * slots + 5; ++rounds) {
    for (std::int64_t const slot : {0, 1, 2, 500, slots - 2, slots - 1})
      ASSERT_EQ(last_version(slot, rounds), versions[static_cast<std::size_t>(slot)]) << slot << " after " << rounds;
    versions[static_cast<std::size_t>(rounds % slots)] = rounds + 1;
  }
}

TEST(LitmusLayout, EveryThreadOfTheDeviceIsOneSide) {
  for (int const warp : {32, 64}) {
    for (Scope const scope : {Scope::block, Scope::device})
      EXPECT_EQ(blocks_in(scope) * threads_of(warp), 2 * pairs_in(scope, warp));
    EXPECT_EQ(blocks_in(Scope::system) * threads_of(warp), pairs_in(Scope::system, warp));
  }
}

/// The shuffles of locations are permutations only then.
TEST(LitmusLayout, LocationsAreAPowerOfTwo) {
  for (int const warp : {32, 64}) {
    for (Scope const scope : {Scope::block, Scope::device, Scope::system}) {
      int const locations = pairs_in(scope, warp) * slots;
      EXPECT_EQ(locations & (locations - 1), 0);
    }
  }
}

}  // namespace
}  // namespace tilestride::litmus
