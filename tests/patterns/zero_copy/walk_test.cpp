// SPDX-License-Identifier: BSD-3-Clause
#include "patterns/zero_copy/walk.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace tilestride::zero_copy {
namespace {

constexpr Word never_written = -7;

Word value(std::int64_t pack, int word) { return static_cast<Word>((pack * 4 + word) * 2654435761 % 2147483647); }

/// Host memory of so many lines, and what a device would have: a copy with nothing in it, and room for the results.
struct Buffers {
  std::vector<Pack> host, copy, out;

  Buffers(std::int64_t lines, std::int64_t packs)
      : host(static_cast<std::size_t>(lines * 8)),
        copy(host.size(), Pack{{never_written, never_written, never_written, never_written}}),
        out(static_cast<std::size_t>(packs), copy[0]) {
    for (std::size_t p = 0; p < host.size(); ++p) {
      for (int w = 0; w < 4; ++w) host[p].w[w] = value(static_cast<std::int64_t>(p), w);
    }
  }
};

/// The blocks of a walk one after the other, and their threads.
template <class Step>
void run(Walk<Step> const& walk) {
  for (int block = 0; block < walk.blocks; ++block) {
    for (int thread = 0; thread < walk_threads; ++thread) walk(block, thread);
  }
}

struct Shape {
  std::int64_t lines, percent;
  int reuse, blocks;
};

class KeptWords : public ::testing::TestWithParam<Shape> {};

TEST_P(KeptWords, AreTheTouchedOnesAndServeTheLaterUses) {
  auto const [lines, percent, reuse, blocks] = GetParam();
  Touched const touched(lines, percent, reuse);
  Buffers b(lines, touched.count);
  Touched once = touched;
  once.reuse = 1;
  run(Walk<Keep>{b.host.data(), b.out.data(), once, 0, touched.count, blocks, b.copy.data()});

  std::vector<bool> used(b.host.size(), false);
  for (std::int64_t p = 0; p < touched.count; ++p) used[static_cast<std::size_t>(touched.pack(p))] = true;
  for (std::size_t p = 0; p < b.host.size(); ++p) {
    for (int w = 0; w < 4; ++w) ASSERT_EQ(b.copy[p].w[w], used[p] ? b.host[p].w[w] : never_written) << "pack " << p;
  }

  if (reuse > 1) run(Walk<Later>{b.copy.data(), b.out.data(), touched, 0, touched.count, blocks});
  for (std::int64_t p = 0; p < touched.count; ++p) {
    for (int w = 0; w < 4; ++w) {
      std::uint32_t sum = 0;
      for (std::int64_t r = 0; r < reuse; ++r)
        sum += static_cast<std::uint32_t>(value(touched.pack((p + r * touched.shift) % touched.count), w));
      ASSERT_EQ(b.out[static_cast<std::size_t>(p)].w[w], static_cast<Word>(sum)) << "pack " << p;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, KeptWords,
                         ::testing::Values(Shape{1, 100, 1, 1}, Shape{1, 100, 3, 1}, Shape{9, 37, 3, 2},
                                           Shape{1000, 100, 1, 3}, Shape{1000, 100, 2, 3}, Shape{1003, 37, 7, 2},
                                           Shape{4099, 100, 4, 5}, Shape{4099, 1, 64, 5}));

}  // namespace
}  // namespace tilestride::zero_copy
