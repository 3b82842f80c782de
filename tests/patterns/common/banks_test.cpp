// SPDX-License-Identifier: BSD-3-Clause
// The bank model against closed forms and against what an H200 was seen to count; never against itself.
#include "patterns/common/banks.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <stdexcept>

#include "patterns/bank_stride/requests.hpp"

namespace tilestride {
namespace {

using bank_stride::Request;
using bank_stride::requests_of_round;

template <class Function>
LaneAddresses addresses(Function const& of_lane) {
  return lane_addresses(32, of_lane);
}

int wavefronts(LaneAddresses const& of_lanes, int word, Direction direction) {
  return wavefronts(nvidia_banks, of_lanes, word, direction);
}

Hardware hardware_of(int warp, int banks) {
  Hardware hardware;
  hardware.warp = warp;
  hardware.banks = banks;
  return hardware;
}

/// The rules are those of a device: no other gets them unnoticed.
TEST(Banks, RulesAreKnownOfADeviceOrNot) {
  EXPECT_TRUE(bank_rules(hardware_of(32, 32)));
  EXPECT_FALSE(bank_rules(Hardware{}));
  EXPECT_FALSE(bank_rules(hardware_of(32, 0)));
  EXPECT_FALSE(bank_rules(hardware_of(64, 32)));
  EXPECT_FALSE(bank_rules(hardware_of(32, 16)));
  EXPECT_THROW(wavefronts(lane_addresses(64, [](int lane) { return 4 * lane; }), 4, Direction::load), std::logic_error);
}

LaneAddresses strided(std::int64_t stride, std::int64_t word, std::int64_t base = 0) {
  return addresses([=](int lane) { return (base + stride * lane) * word; });
}

TEST(Banks, WordsOfFourBytesFollowTheGreatestCommonDivisor) {
  EXPECT_EQ(wavefronts(strided(0, 4), 4, Direction::load), 1);
  for (int stride = 1; stride <= 64; ++stride) {
    EXPECT_EQ(wavefronts(strided(stride, 4), 4, Direction::load), std::gcd(stride, 32)) << stride;
    EXPECT_EQ(wavefronts(strided(stride, 4), 4, Direction::store), std::gcd(stride, 32)) << stride;
  }
}

TEST(Banks, LongerWordsAreServedInSmallerGroups) {
  for (int stride = 1; stride <= 64; ++stride) {
    for (Direction const direction : {Direction::load, Direction::store}) {
      EXPECT_EQ(wavefronts(strided(stride, 8), 8, direction), 2 * std::gcd(stride, 16)) << stride;
      EXPECT_EQ(wavefronts(strided(stride, 16), 16, direction), 4 * std::gcd(stride, 8)) << stride;
    }
  }
}

TEST(Banks, ABroadcastOfAVectorIsLoadedInDoubledGroupsAndStoredInPlainOnes) {
  EXPECT_EQ(wavefronts(strided(0, 8), 8, Direction::load), 1);
  EXPECT_EQ(wavefronts(strided(0, 8), 8, Direction::store), 2);
  EXPECT_EQ(wavefronts(strided(0, 16), 16, Direction::load), 2);
  EXPECT_EQ(wavefronts(strided(0, 16), 16, Direction::store), 4);
}

TEST(Banks, NeighboursThatShareAVectorDoubleTheGroups) {
  auto const pairs = addresses([](int lane) { return 8 * (lane / 2); });                       // lane = lane^1
  auto const crossed = addresses([](int lane) { return 8 * (lane / 4 * 2 + lane % 2); });      // lane = lane^2
  auto const triples = addresses([](int lane) { return 8 * (lane / 3); });                     // neither
  auto const but_one = addresses([](int lane) { return lane == 31 ? 128 : 8 * (lane / 2); });  // lane 31 alone
  EXPECT_EQ(wavefronts(pairs, 8, Direction::load), 1);
  EXPECT_EQ(wavefronts(crossed, 8, Direction::load), 1);
  EXPECT_EQ(wavefronts(triples, 8, Direction::load), 2);
  EXPECT_EQ(wavefronts(but_one, 8, Direction::load), 2);
  EXPECT_EQ(wavefronts(pairs, 8, Direction::store), 2);
  EXPECT_EQ(wavefronts(crossed, 8, Direction::store), 2);
}

TEST(Banks, ShortWordsShareTheBanksWord) {
  EXPECT_EQ(wavefronts(strided(1, 1), 1, Direction::load), 1);   // 32 bytes in 8 banks: conflicts before 2.x only
  EXPECT_EQ(wavefronts(strided(4, 1), 1, Direction::load), 1);   // the remedy of 1.x
  EXPECT_EQ(wavefronts(strided(35, 1), 1, Direction::load), 3);  // no closed form
  EXPECT_EQ(wavefronts(strided(2, 2), 2, Direction::store), 1);
  EXPECT_EQ(wavefronts(strided(64, 2), 2, Direction::store), 32);
  EXPECT_EQ(wavefronts(strided(64, 1), 1, Direction::load), 16);
}

TEST(Banks, WhereAPatternBeginsDoesNotMatterToWholeWords) {
  for (int base = 0; base < 64; ++base) {
    EXPECT_EQ(wavefronts(strided(6, 4, base), 4, Direction::load), 2);
    EXPECT_EQ(wavefronts(strided(3, 16, base), 16, Direction::load), 4);
  }
  EXPECT_EQ(wavefronts(strided(1, 2, 0), 2, Direction::load), 1);
  EXPECT_EQ(wavefronts(strided(1, 2, 1), 2, Direction::load), 1);
}

/// The tutorial's rectangular tile, 32 wide and 16 high: lane l takes row l mod 16 of column l / 16.
TEST(Banks, APadOfTwoFreesTheColumnsOfARectangle) {
  int const expected[] = {16, 2, 1};
  for (int pad = 0; pad <= 2; ++pad) {
    auto const column = addresses([=](int lane) { return 4 * (lane % 16 * (32 + pad) + lane / 16); });
    EXPECT_EQ(wavefronts(column, 4, Direction::load), expected[pad]) << pad;
  }
}

TEST(Banks, APadOfOneFreesTheColumnsOfASquare) {
  auto const column = [](int pad, int bytes) {
    return addresses([=](int lane) { return std::int64_t(bytes) * lane * (32 + pad); });
  };
  EXPECT_EQ(wavefronts(column(0, 4), 4, Direction::store), 32);
  EXPECT_EQ(wavefronts(column(1, 4), 4, Direction::store), 1);
  EXPECT_EQ(wavefronts(column(0, 8), 8, Direction::load), 32);
  EXPECT_EQ(wavefronts(column(1, 8), 8, Direction::load), 2);  // the ideal of 8 B
}

TEST(Banks, LanesThatAskForNothingCostNothing) {
  auto const none = addresses([](int) { return no_address; });
  EXPECT_EQ(wavefronts(none, 4, Direction::load), 0);
  auto const half = addresses([](int lane) { return lane < 16 ? std::int64_t(8 * lane) : no_address; });
  EXPECT_EQ(wavefronts(half, 8, Direction::store), 1);
}

TEST(BankRequests, EveryStepMeetsTheBanksAsTheFirst) {
  for (char const* access : {"stride", "broadcast", "multicast", "permuted"}) {
    for (int const word : {1, 2, 4, 8, 16}) {
      auto const requests = requests_of_round(32, access, std::string_view(access) == "stride" ? 7 : 1, 3, word, false);
      ASSERT_EQ(requests.size(), 16u);
      for (Request const& request : requests) {
        EXPECT_EQ(request.word, word);
        for (std::int64_t const address : request.address) EXPECT_EQ(address % word, 0);
        EXPECT_EQ(wavefronts(request.address, word, Direction::store),
                  wavefronts(requests.front().address, word, Direction::store));
      }
    }
  }
}

TEST(BankRequests, SharingAndOrderCostNothing) {
  for (char const* access : {"broadcast", "multicast", "permuted"}) {
    auto const request = requests_of_round(32, access, 1, 0, 4, false).front();
    EXPECT_EQ(wavefronts(request.address, 4, Direction::load), 1) << access;
    EXPECT_EQ(wavefronts(request.address, 4, Direction::store), 1) << access;
  }
  auto const multicast = requests_of_round(32, "multicast", 1, 0, 8, false).front();
  EXPECT_EQ(wavefronts(multicast.address, 8, Direction::load), 1);
  EXPECT_EQ(wavefronts(multicast.address, 8, Direction::store), 2);
}

TEST(BankRequests, APartitionIsWalkedFromEndToEndWithoutConflicts) {
  std::int64_t bytes = 0, end = 0;
  EXPECT_EQ(requests_of_round(32, "arrays", 1, 0, 4, false).size(), 14u);  // the same, wherever the arrays are
  for (Request const& request : requests_of_round(32, "partition", 1, 0, 4, false)) {
    EXPECT_EQ(wavefronts(request.address, request.word, Direction::load), 1);
    EXPECT_EQ(request.address.front(), end);
    bytes += 32 * request.word;
    end = request.address.back() + request.word;
  }
  EXPECT_EQ(bytes, 128 * 2 + 64 * 4 + 256 * 4);
  EXPECT_EQ(end, bytes);
}

}  // namespace
}  // namespace tilestride
