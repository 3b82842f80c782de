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
        EXPECT_NEAR(persistent_hits({double(room), double(lines), tenths / 10.0}, lines),
                    by_walking(lines, lines * tenths / 10, room), 1e-12)
            << lines << " " << room << " " << tenths;
    }
  }
}

TEST(Window, TheFittingShareIsNeverMoreThanAll) {
  EXPECT_EQ(fitting_share(30, 60), 0.5);
  EXPECT_EQ(fitting_share(30, 30), 1);
  EXPECT_EQ(fitting_share(30, 10), 1);
  EXPECT_EQ(persistent_hits({30, 60, fitting_share(30, 60)}, 60), 0.5);
  EXPECT_NEAR(persistent_hits({30, 70, fitting_share(30, 70)}, 70), 3.0 / 7, 1e-12);
}

TEST(Window, HitsOfAWindowThatCoversAPartAreThoseOfItsLines) {
  for (int const room : {1, 19, 20, 100})
    EXPECT_NEAR(persistent_hits({double(room), 20, 1}, 60), by_walking(60, 20, room), 1e-12) << room;
}

TEST(Window, LinesAreMarkedAsTheVariantAndTheKeySay) {
  Key const set_aside{"set_aside", KeyKind::bytes, "30 MiB", {}, "of L2"};
  Key const percent{"hit_percent", KeyKind::choice, "fit", {"fit", "40"}, "hit ratio"};
  Case c;
  c.values = {Value{&set_aside, {30}}, Value{&percent, {0}}};
  EXPECT_EQ(window_of(Marked::none, c, 60).hit_ratio, 0);
  EXPECT_EQ(window_of(Marked::all, c, 60).hit_ratio, 1);
  EXPECT_EQ(window_of(Marked::share, c, 60).hit_ratio, 0.5);
  EXPECT_EQ(window_of(Marked::share, c, 60).bytes, 60);
  c.values = {Value{&set_aside, {30}}, Value{&percent, {1}}};
  EXPECT_EQ(window_of(Marked::share, c, 60).hit_ratio, 0.4);
  c.hardware.widest_window = 50;
  EXPECT_EQ(window_of(Marked::all, c, 60).bytes, 50);
}

/// The guide's: 20 MB of 10 to 60, at a ratio of 20 MB to the data, which is no more than 1 here.
TEST(Window, TheListingKeepsItsSizeWhileTheDataGrow) {
  Key const set_aside{"set_aside", KeyKind::bytes, "30 MiB", {}, "of L2"};
  Key const window{"window", KeyKind::bytes, "20 MiB", {}, "its size"};
  Key const percent{"percent", KeyKind::integer, "0", {}, "its ratio", 0};
  Case c;
  c.values = {Value{&set_aside, {30}}, Value{&window, {20}}, Value{&percent, {0}}};
  EXPECT_EQ(window_of(Marked::listing, c, 10).bytes, 10);
  EXPECT_EQ(window_of(Marked::listing, c, 10).hit_ratio, 1);
  EXPECT_EQ(window_of(Marked::listing, c, 40).bytes, 20);
  EXPECT_EQ(window_of(Marked::listing, c, 40).hit_ratio, 0.5);
  EXPECT_EQ(persistent_hits(window_of(Marked::listing, c, 40), 40), 0.25);
  c.values[2] = Value{&percent, {75}};
  EXPECT_EQ(window_of(Marked::listing, c, 40).hit_ratio, 0.75);
}

/// What an H200 granted, in MiB, of what was asked (reference/nvidia-h200-l2_window.json, "set-aside MiB").
TEST(Window, TheDeviceGrantsWholeSteps) {
  Hardware h200;
  h200.most_set_aside = 37.5;
  h200.set_aside_step = 3.75;
  for (auto const& [asked, got] : {std::pair{4.0, 7.5}, {8, 11.25}, {16, 18.75}, {30, 30}, {37, 37.5}, {1024, 37.5}})
    EXPECT_EQ(granted_set_aside(asked, h200), got) << asked;
  EXPECT_EQ(granted_set_aside(4, {}), 4);  // of a device that is not known
}

}  // namespace
}  // namespace tilestride::l2_window
