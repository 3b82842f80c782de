// SPDX-License-Identifier: BSD-3-Clause

// The versions that slots hold, against rounds that are played one by one.
#include "patterns/litmus/layout.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace tilestride {
namespace {

TEST(LitmusLayout, SlotsHoldTheVersionOfTheirLastRound) {
  std::vector<std::int64_t> versions(litmus_slots, 0);
  for (std::int64_t rounds = 0; rounds < 3 * litmus_slots + 5; ++rounds) {
    for (std::int64_t const slot : {0, 1, 2, 500, litmus_slots - 2, litmus_slots - 1})
      ASSERT_EQ(last_version(slot, rounds), versions[static_cast<std::size_t>(slot)]) << slot << " after " << rounds;
    versions[static_cast<std::size_t>(rounds % litmus_slots)] = rounds + 1;
  }
}

TEST(LitmusLayout, EveryThreadOfTheDeviceIsOneSide) {
  EXPECT_EQ(litmus_blocks(LitmusScope::block) * litmus_threads, 2 * litmus_pairs(LitmusScope::block));
  EXPECT_EQ(litmus_blocks(LitmusScope::device) * litmus_threads, 2 * litmus_pairs(LitmusScope::device));
  EXPECT_EQ(litmus_blocks(LitmusScope::system) * litmus_threads, litmus_pairs(LitmusScope::system));
}

/// The shuffles of locations are permutations only then.
TEST(LitmusLayout, LocationsAreAPowerOfTwo) {
  for (LitmusScope const scope : {LitmusScope::block, LitmusScope::device, LitmusScope::system}) {
    int const locations = litmus_pairs(scope) * litmus_slots;
    EXPECT_EQ(locations & (locations - 1), 0);
  }
}

}  // namespace
}  // namespace tilestride
