// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Who sends to whom, as every rank knows it. No Kokkos here.

#include <cstdint>
#include <string>
#include <vector>

namespace tilestride::exchange {

/// One message of a call. Every rank has a slot for each message that it sends, and one for each that it receives, in
/// the order of the list.
struct Post {
  int round;  ///< messages of one round go at the same time
  int from, to;
  int from_slot = 0, to_slot = 0;
};
using Posts = std::vector<Post>;

inline Posts posts_of(std::string const& op, int ranks) {
  Posts posts;
  if (op == "pairs") {
    for (int i = 0; i + 1 < ranks; i += 2) {
      posts.push_back({0, i, i + 1});
      posts.push_back({0, i + 1, i});
    }
  } else if (op == "each_pair") {
    int round = 0;
    for (int i = 0; i < ranks; ++i) {
      for (int j = 0; j < ranks; ++j) {
        if (i != j) posts.push_back({round++, i, j});
      }
    }
  } else {  // each sends to its next ones: to one in a ring, to all others in all_to_all
    int const furthest = op == "ring" ? 1 : ranks - 1;
    for (int step = 1; step <= furthest; ++step) {
      for (int i = 0; i < ranks; ++i) posts.push_back({0, i, (i + step) % ranks});
    }
  }
  std::vector<int> sent(static_cast<std::size_t>(ranks)), received(sent);
  for (Post& post : posts) {
    post.from_slot = sent[static_cast<std::size_t>(post.from)]++;
    post.to_slot = received[static_cast<std::size_t>(post.to)]++;
  }
  return posts;
}

/// How many messages the busiest rank receives in a call.
inline int most_received(std::string const& op, int ranks) { return op == "pairs" || op == "ring" ? 1 : ranks - 1; }

}  // namespace tilestride::exchange
