// SPDX-License-Identifier: BSD-3-Clause

// Buffers that know what belongs into them: on a host, whose memory a test can spoil directly.

#include "portable/memory.hpp"

#include <gtest/gtest.h>

namespace tilestride {
namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;
using Array = Kokkos::View<float*, Exec>;

struct Pair {
  Exec exec;
  Memory memory{"tilestride::test"};
  Array in = memory.input<Array>(exec, "in", 100, Values<float>{1});
  Array out = memory.output<Array>(exec, "out", 100);

  Buffer const& buffer(std::size_t i) const { return (*memory.buffers())[i]; }
  bool intact() const { return buffer(0).intact().passed && buffer(1).intact().passed; }
};

TEST(Memory, BeginsIntact) {
  Pair const pair;
  EXPECT_TRUE(pair.intact());
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(pair.in(i), value_at<float>(1, i));
    EXPECT_NE(pair.out(i), pair.out(i));  // NaN
  }
}

TEST(Memory, SeesABytePastEitherEndOfEitherBuffer) {
  Pair const pair;
  for (Array const& array : {pair.in, pair.out}) {
    auto* const bytes = reinterpret_cast<char*>(array.data());
    for (std::int64_t const at : {std::int64_t(-1), -guard_bytes, std::int64_t(400), 400 + guard_bytes - 1}) {
      bytes[at] = static_cast<char>(bytes[at] + 1);
      EXPECT_FALSE(pair.intact()) << at;
      bytes[at] = static_cast<char>(bytes[at] - 1);
      EXPECT_TRUE(pair.intact()) << at;
    }
  }
}

TEST(Memory, SeesACopyFromPastTheEndToPastTheEnd) {
  Pair const pair;
  pair.out.data()[100] = pair.in.data()[100];
  EXPECT_FALSE(pair.intact());
}

TEST(Memory, SeesAnAlteredInputButNotAnOutput) {
  Pair const pair;
  pair.out(3) = 1;
  EXPECT_TRUE(pair.intact());
  pair.in(99) += 1;
  Check const check = pair.buffer(0).intact();
  EXPECT_FALSE(check.passed);
  EXPECT_EQ(check.wrong, 1);
  EXPECT_NE(check.detail.find("input in"), std::string::npos);
}

TEST(Memory, GivesEveryBufferItsValuesAgain) {
  Pair const pair;
  for (int i = -1; i <= 100; ++i) pair.in.data()[i] = pair.out.data()[i] = 0;
  pair.memory.poison();
  EXPECT_NE(pair.out(0), pair.out(0));
  EXPECT_EQ(pair.in(0), 0);
  pair.memory.fill_inputs();
  EXPECT_TRUE(pair.intact());
  EXPECT_EQ(pair.in(7), value_at<float>(1, 7));
}

TEST(Memory, AlignsAsAsked) {
  Exec const exec;
  Memory const memory("tilestride::test");
  auto const aligned = memory.output<Array>(exec, "aligned", 33, 1024);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(aligned.data()) % 1024, 0u);
  aligned.data()[33] = 0;
  EXPECT_FALSE((*memory.buffers())[0].intact().passed);
}

}  // namespace
}  // namespace tilestride
