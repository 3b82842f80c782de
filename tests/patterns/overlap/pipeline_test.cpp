// SPDX-License-Identifier: BSD-3-Clause
#include "patterns/overlap/pipeline.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

namespace tilestride::overlap {
namespace {

TEST(ChunkBegin, ChunksMeetWithoutGapAndCoverEverything) {
  for (std::int64_t const n : {1l, 2l, 63l, 64l, 65l, 1000l, 4096l, 100003l, 137l << 30}) {
    for (std::int64_t const chunks : {1l, 2l, 3l, 7l, 64l, 65536l}) {
      EXPECT_EQ(chunk_begin(n, chunks, 0), 0);
      EXPECT_EQ(chunk_begin(n, chunks, chunks), n);
      for (std::int64_t k = 0; k < chunks; ++k) {
        std::int64_t const begin = chunk_begin(n, chunks, k);
        ASSERT_LE(begin, chunk_begin(n, chunks, k + 1)) << n << " in " << chunks << ", " << k;
        ASSERT_EQ(begin % 64, 0);
      }
    }
  }
}

TEST(ChunkBegin, ChunksOfOneSizeDifferByLessThanAPack) {
  // 1000003 / 10 = 100000.3: each begins at the multiple of 64 at or below k times that.
  EXPECT_EQ(chunk_begin(1000003, 10, 1), 99968);
  EXPECT_EQ(chunk_begin(1000003, 10, 2), 200000);
  EXPECT_EQ(chunk_begin(1000003, 10, 9), 899968);
}

/// "i0.0": the copy in of the first chunk, to the first stream; then c (compute), o (copy out); "|" after a round.
std::string issued(std::int64_t n, Cut const& cut) {
  std::string text;
  issue(
      n, cut,
      [&](Stage stage, std::size_t stream, Chunk chunk) {
        text += "ico"[static_cast<int>(stage)] + std::to_string(stream) + "." + std::to_string(chunk.begin / 64) + " ";
      },
      [&] { text += "| "; });
  return text;
}

TEST(Issue, DepthFirstFinishesAChunkBeforeTheNext) {
  EXPECT_EQ(issued(192, {true, 2, 3, 1}), "i0.0 c0.0 o0.0 | i1.1 c1.1 o1.1 | i0.2 c0.2 o0.2 | ");
  EXPECT_EQ(issued(192, {false, 2, 3, 1}), "i0.0 c0.0 | i1.1 c1.1 | i0.2 c0.2 | ");
}

TEST(Issue, BreadthFirstIssuesAStageForAllStreams) {
  EXPECT_EQ(issued(192, {true, 2, 3, 2}), "i0.0 i1.1 c0.0 c1.1 o0.0 o1.1 | i0.2 c0.2 o0.2 | ");
}

TEST(Issue, EmptyChunksAreLeftOut) { EXPECT_EQ(issued(64, {true, 1, 2, 1}), "| i0.0 c0.0 o0.0 | "); }

/// What a schedule takes when it is played through: chunk k needs its stream (k mod streams) and one engine a stage,
/// each of which does one thing at a time, in the order of issue.
double played(std::vector<double> const& stages, std::int64_t streams, std::int64_t chunks) {
  std::vector<double> engine_free(stages.size(), 0.0), stream_free(static_cast<std::size_t>(streams), 0.0);
  double end = 0;
  for (std::int64_t k = 0; k < chunks; ++k) {
    double& stream = stream_free[static_cast<std::size_t>(k % streams)];
    for (std::size_t s = 0; s < stages.size(); ++s) {
      stream = std::max(stream, engine_free[s]) + stages[s] / static_cast<double>(chunks);
      engine_free[s] = stream;
    }
    end = std::max(end, stream);
  }
  return end;
}

TEST(PipelineTime, IsWhatPlayingTheScheduleGives) {
  for (auto const& [h2d, kernel, d2h] :
       {std::array{4.9, 4.6, 4.8}, {4.9, 0.1, 4.8}, {5.0, 20.0, 5.0}, {3.0, 2.0, 1.0}, {1.0, 2.0, 3.0}}) {
    Parts const parts{h2d, kernel, d2h, std::max(h2d, d2h), 0};  // a link whose two directions do not hinder each other
    for (std::int64_t const chunks : {1, 2, 4, 12, 48}) {
      for (std::int64_t const streams : {1, 2, 3, 4, 12, 64}) {
        EXPECT_NEAR(pipeline_time(parts, {true, streams, chunks}), played({h2d, kernel, d2h}, streams, chunks), 1e-9)
            << h2d << " " << kernel << " " << d2h << ", " << streams << " streams, " << chunks << " chunks";
        EXPECT_NEAR(pipeline_time(parts, {false, streams, chunks}), played({h2d, kernel}, streams, chunks), 1e-9);
      }
    }
  }
}

TEST(PipelineTime, ThreeEqualStagesOnManyStreamsTakeTheirLongestPlusTwoChunks) {
  EXPECT_NEAR(pipeline_time({6, 6, 6, 6, 0}, {true, 8, 12}), 6 + 2 * 0.5, 1e-12);
}

TEST(PipelineTime, OneStreamHidesNothing) {
  EXPECT_NEAR(pipeline_time({5, 4, 3, 6, 0}, {true, 1, 16}), 12, 1e-12);
  EXPECT_NEAR(pipeline_time({5, 4, 3, 6, 0}, {true, 64, 1}), 12, 1e-12);
}

TEST(PipelineTime, AChunkCostsALaunch) {
  double const without = pipeline_time({5, 4, 3, 6, 0}, {true, 4, 16});
  EXPECT_NEAR(pipeline_time({5, 4, 3, 6, 0.25}, {true, 4, 16}) - without, 4, 1e-12);
}

TEST(HeldTime, DepthFirstInThreeStagesHidesNothing) {
  for (std::int64_t const streams : {1, 2, 4, 64})
    EXPECT_NEAR(held_time({5, 4, 3, 8, 0.25}, {true, streams, 8}), 12 + 8 * 2 * 0.25, 1e-12) << streams;
}

TEST(HeldTime, WithoutTheCopyBackAKernelRunsBesideTheNextCopies) {
  EXPECT_NEAR(held_time({8, 4, 99, 0, 0}, {false, 2, 4}), 8 + 1, 1e-12);  // copies of 2, then the last kernel of 1
  EXPECT_NEAR(held_time({4, 8, 99, 0, 0}, {false, 4, 4}), 1 + 8, 1e-12);  // a copy of 1, then kernels of 2
  EXPECT_NEAR(held_time({4, 8, 99, 0, 0}, {false, 1, 4}), 4 + 8, 1e-12);  // each copy waits for the kernel before it
  EXPECT_NEAR(held_time({4, 8, 99, 0, 0.5}, {false, 4, 4}), 1.5 + 8, 1e-12);  // the other launches are hidden, too
}

TEST(HeldTime, BreadthFirstHidesCopiesBackBehindKernels) {
  // Copies in until 2 and 4, kernels until 7 and 10, copies back until 8 and 11.
  EXPECT_NEAR(held_time({4, 6, 2, 0, 0}, {true, 2, 2, 2}), 11, 1e-12);
  // Two rounds. In until 1, 2; kernels 3.5, 5; back 4, 5.5; in 6.5, 7.5; kernels 9, 10.5; back 9.5, 11.
  EXPECT_NEAR(held_time({4, 6, 2, 0, 0}, {true, 2, 4, 2}), 11, 1e-12);
}

TEST(RoundsTime, DepthFirstIsTheSumOfAllPartsAndTwoLaunchesAChunk) {
  EXPECT_NEAR(rounds_time({5, 4, 3, 6, 0.25}, {true, 4, 8, 1}), 12 + 8 * 2 * 0.25, 1e-12);
}

TEST(RoundsTime, BreadthFirstIsOnePipelineAfterTheOther) {
  // 10 chunks of 1: rounds of 4, 4 and 2 equal stages, each as long as its chunks and two more.
  EXPECT_NEAR(rounds_time({10, 10, 10, 10, 0}, {true, 4, 10, 4}), 6 + 6 + 4, 1e-12);
  EXPECT_NEAR(rounds_time({10, 10, 10, 10, 0.5}, {true, 4, 10, 4}), 6 + 6 + 4 + (10 + 3) * 0.5, 1e-12);
  EXPECT_NEAR(rounds_time({10, 10, 10, 10, 0}, {true, 64, 10, 64}), 12, 1e-12);  // all in one round
}

TEST(TutorialEstimate, HidesTheShorterStageButForOnePart) {
  EXPECT_DOUBLE_EQ(tutorial_estimate({2, 10, 99, 0, 0}, {false, 4, 4}), 10 + 2.0 / 4);  // tE + tT/nStreams
  EXPECT_DOUBLE_EQ(tutorial_estimate({10, 2, 99, 0, 0}, {false, 4, 4}), 10 + 2.0 / 4);  // tT + tE/nStreams
  EXPECT_DOUBLE_EQ(tutorial_estimate({10, 2, 6, 12, 0}, {true, 4, 4}), 10 + 8.0 / 4);
}

TEST(OverlapBound, IsTheKernelOrTheLink) {
  EXPECT_DOUBLE_EQ(overlap_bound({5, 4, 5, 6, 0}, {true, 4, 4}), 6);
  EXPECT_DOUBLE_EQ(overlap_bound({5, 7, 5, 6, 0}, {true, 4, 4}), 7);
  EXPECT_DOUBLE_EQ(overlap_bound({5, 4, 5, 10, 0}, {true, 4, 4}), 10);  // one copy engine
  EXPECT_DOUBLE_EQ(overlap_bound({5, 4, 5, 6, 0}, {false, 4, 4}), 5);
}

}  // namespace
}  // namespace tilestride::overlap
