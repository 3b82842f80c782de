// SPDX-License-Identifier: BSD-3-Clause
#include "patterns/exchange/posts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace tilestride::exchange {
namespace {

constexpr char const* operations[] = {"pairs", "each_pair", "ring", "all_to_all"};

TEST(Posts, EachRankHasASlotForEachOfItsMessages) {
  for (std::string const op : operations) {
    for (int ranks = 2; ranks < 9; ++ranks) {
      std::map<int, int> sent, received;
      int most = 0;
      for (Post const& post : posts_of(op, ranks)) {
        EXPECT_NE(post.from, post.to);
        EXPECT_EQ(post.from_slot, sent[post.from]++) << op;
        EXPECT_EQ(post.to_slot, received[post.to]++) << op;
        most = std::max(most, received[post.to]);
      }
      EXPECT_EQ(most, most_received(op, ranks)) << op << " of " << ranks;
    }
  }
}

TEST(Posts, OfAllToAllAndOfEachPairAreAllOrderedPairs) {
  for (std::string const op : {"each_pair", "all_to_all"}) {
    for (int ranks = 2; ranks < 9; ++ranks) {
      Posts const posts = posts_of(op, ranks);
      std::set<std::pair<int, int>> pairs;
      std::set<int> rounds;
      for (Post const& post : posts) {
        pairs.insert({post.from, post.to});
        rounds.insert(post.round);
      }
      EXPECT_EQ(pairs.size(), static_cast<std::size_t>(ranks * (ranks - 1)));
      EXPECT_EQ(posts.size(), pairs.size());
      EXPECT_EQ(rounds.size(), op == "each_pair" ? posts.size() : 1u);
    }
  }
}

TEST(Posts, OfPairsGoBothWaysAndLeaveAnOddRankAlone) {
  Posts const posts = posts_of("pairs", 5);
  std::set<std::pair<int, int>> pairs;
  for (Post const& post : posts) pairs.insert({post.from, post.to});
  EXPECT_EQ(pairs, (std::set<std::pair<int, int>>{{0, 1}, {1, 0}, {2, 3}, {3, 2}}));
}

TEST(Posts, OfARingGoToTheNext) {
  for (Post const& post : posts_of("ring", 4)) EXPECT_EQ(post.to, (post.from + 1) % 4);
  EXPECT_EQ(posts_of("ring", 4).size(), 4u);
}

}  // namespace
}  // namespace tilestride::exchange
