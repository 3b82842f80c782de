// SPDX-License-Identifier: BSD-3-Clause
#include "patterns/transfer/pin.hpp"

#include <gtest/gtest.h>

namespace tilestride::transfer {
namespace {

TEST(PinRepeatedly, HoldsOneAtATimeAndKeepsTheLast) {
  std::vector<int> pages(100);
  int made = 0, held = 0;
  {
    Pages const pinned = pin_repeatedly([&] {
      EXPECT_EQ(held, 0);
      ++held;
      return std::shared_ptr<void>(&pages.at(static_cast<std::size_t>(made++)), [&](void*) { --held; });
    });
    EXPECT_GE(made, 4) << "one that is not counted, and a median of three at least";
    EXPECT_EQ(pinned.owner.get(), &pages.at(static_cast<std::size_t>(made - 1)));
    EXPECT_EQ(held, 1);
  }
  EXPECT_EQ(held, 0);
}

}  // namespace
}  // namespace tilestride::transfer
