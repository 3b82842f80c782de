// SPDX-License-Identifier: BSD-3-Clause
#include "patterns/latency/multiply_add.hpp"

#include <gtest/gtest.h>

namespace tilestride::latency {
namespace {

TEST(MultiplyAdd, ManyAtOnceAreThoseOneByOne) {
  for (MultiplyAdd const step : {MultiplyAdd{1664525u, 1013904223u}, MultiplyAdd{1, 1}, MultiplyAdd{3, 0}}) {
    std::uint32_t x = 0;
    for (std::int64_t steps = 0; steps < 1000; ++steps) {
      ASSERT_EQ(step.after(steps), x) << steps;
      x = step(x);
    }
  }
}

}  // namespace
}  // namespace tilestride::latency
