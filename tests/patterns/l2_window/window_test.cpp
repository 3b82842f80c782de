// SPDX-License-Identifier: BSD-3-Clause

// What theory expects of a window, against a cache that is walked line by line.

#include "patterns/l2_window/window.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>

namespace tilestride::l2_window {
namespace {

/// The share of hits when the first `marked` of `lines` lines are kept by a cache that has room for `room` of them and
/// drops the one unused for longest; the others are never kept. The first walk, which fills it, does not count.
double by_walking(int lines, int marked, int room) {
  std::deque<int> kept;
  int hits = 0;
  constexpr int walks = 4;
  for (int walk = 0; walk < walks; ++walk) {
    for (int line = 0; line < marked; ++line) {
      auto const at = std::find(kept.begin(), kept.end(), line);
      if (at != kept.end()) {
        kept.erase(at);
        if (walk > 0) ++hits;
      }
      kept.push_back(line);
      if (static_cast<int>(kept.size()) > room) kept.pop_front();
    }
  }
  return static_cast<double>(hits) / (walks - 1) / lines;
}

TEST(Window, HitsAreThoseOfACacheThatDropsTheOldest) {
  for (int const lines : {10, 20, 30, 40, 60}) {
    for (int const room : {1, 10, 29, 30, 31, 100}) {
      for (int tenths = 0; tenths <= 10; ++tenths)
        EXPECT_NEAR(persistent_hits(tenths / 10.0, room, lines), by_walking(lines, lines * tenths / 10, room), 1e-12)
            << lines << " " << room << " " << tenths;
    }
  }
}

TEST(Window, TheFittingShareIsNeverMoreThanAll) {
  EXPECT_EQ(fitting_share(30, 60), 0.5);
  EXPECT_EQ(fitting_share(30, 30), 1);
  EXPECT_EQ(fitting_share(30, 10), 1);
  EXPECT_EQ(persistent_hits(fitting_share(30, 60), 30, 60), 0.5);
  EXPECT_NEAR(persistent_hits(fitting_share(30, 70), 30, 70), 3.0 / 7, 1e-12);
}

TEST(Window, LinesAreMarkedAsTheVariantAndTheKeySay) {
  Key const percent{"hit_percent", KeyKind::choice, "fit", {"fit", "40"}, "hit ratio"};
  Case c;
  c.values = {Value{&percent, {0}}};
  EXPECT_EQ(hit_ratio(Marked::none, c, 30, 60), 0);
  EXPECT_EQ(hit_ratio(Marked::all, c, 30, 60), 1);
  EXPECT_EQ(hit_ratio(Marked::share, c, 30, 60), 0.5);
  c.values = {Value{&percent, {1}}};
  EXPECT_EQ(hit_ratio(Marked::share, c, 30, 60), 0.4);
}

}  // namespace
}  // namespace tilestride::l2_window
