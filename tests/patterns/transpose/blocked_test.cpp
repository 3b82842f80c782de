// SPDX-License-Identifier: BSD-3-Clause
#include "patterns/transpose/blocked.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "patterns/common/teams_of_threads.hpp"

namespace tilestride {
namespace {

/// A GPU's sectors: stores that begin at them are shifted by up to seven words.
struct OfSectors {};

}  // namespace

template <>
struct Traits<OfSectors> {
  static constexpr int sector = 32;
};

namespace transpose {
namespace {

template <class Block, class Word>
void expect_turned(std::int64_t rows, std::int64_t cols) {
  SCOPED_TRACE(fmt::format("{} {}x{}, words of {}", Block::name(), rows, cols, sizeof(Word)));
  using Turn = BlockedOnDevice::TurnBlock<Block, OfSectors, Word>;
  auto const count = static_cast<std::size_t>(rows * cols);
  std::vector<Word> in(count), out(count, Word(-1)), scratch(Turn::words);
  for (std::size_t i = 0; i < count; ++i) in[i] = static_cast<Word>(i);
  Turn const turn(in.data(), out.data(), rows, cols);
  run_teams(turn, turn.tiles(), Block::threads, scratch.data());
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t c = 0; c < cols; ++c)
      ASSERT_EQ(out[static_cast<std::size_t>(c * rows + r)], in[static_cast<std::size_t>(r * cols + c)])
          << r << ", " << c;
  }
}

template <class Word>
void expect_all_turned() {
  std::apply(
      [](auto... blocks) {
        for (auto const& [rows, cols] : {std::pair{1, 1},
                                         {3, 7},
                                         {7, 3},
                                         {8, 8},
                                         {31, 33},
                                         {64, 64},
                                         {65, 40},
                                         {128, 32},
                                         {130, 70},
                                         {2, 200},
                                         {200, 2},
                                         {257, 65},
                                         {136, 129}})
          (expect_turned<decltype(blocks), Word>(rows, cols), ...);
      },
      BlockedOnDevice::Blocks<false, Word>{});
}

TEST(BlockedTranspose, WordsOf4Bytes) { expect_all_turned<std::uint32_t>(); }
TEST(BlockedTranspose, WordsOf8Bytes) { expect_all_turned<std::uint64_t>(); }

}  // namespace
}  // namespace transpose
}  // namespace tilestride
