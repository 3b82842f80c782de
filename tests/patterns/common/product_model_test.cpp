// SPDX-License-Identifier: BSD-3-Clause
#include "patterns/common/product_model.hpp"

#include <gtest/gtest.h>

namespace tilestride {
namespace {

TEST(TurningStore, ATileOf32PutsAWholeColumnIntoOneBankUntilItIsPadded) {
  EXPECT_EQ(wavefronts_of_turning_store(32, 32, 4), 32);
  EXPECT_EQ(wavefronts_of_turning_store(32, 33, 4), 1);
  EXPECT_EQ(wavefronts_of_turning_store(32, 32, 8), 32);
  EXPECT_EQ(wavefronts_of_turning_store(32, 33, 8), 2);
}

// By hand: 16 lanes down a column, and as many beside them, 16 words apart meet in 4 banks; 17 words apart they meet in
// bank 0 alone, where the column beside ends.
TEST(TurningStore, ASmallerTileKeepsALittleOfTheConflict) {
  EXPECT_EQ(wavefronts_of_turning_store(16, 16, 4), 8);
  EXPECT_EQ(wavefronts_of_turning_store(16, 17, 4), 2);
  EXPECT_EQ(wavefronts_of_turning_store(8, 8, 4), 2);
  EXPECT_EQ(wavefronts_of_turning_store(8, 9, 4), 2);
}

TEST(WavefrontsOfProducts, AreCountedWhereTheRulesOfBanksHold) {
  Hardware hardware;
  EXPECT_EQ(wavefronts_of_products(hardware, 640, 3), 0);
  hardware.warp = 32;
  EXPECT_EQ(wavefronts_of_products(hardware, 640, 3), 0);
  hardware.banks = 32;
  EXPECT_EQ(wavefronts_of_products(hardware, 640, 3), 60);
}

TEST(Roofline, TheLongestOfThreeTimesSetsIt) {
  Ceilings ceilings;
  ceilings.fma = 10;
  ceilings.copy = 100;
  ceilings.scratch = 1000;
  Model const arithmetic = roofline(ceilings, 40, 300, 2000);
  EXPECT_EQ(arithmetic.limiter, "fma");
  EXPECT_EQ(arithmetic.seconds, 4);
  Model const memory = roofline(ceilings, 20, 300, 2000);
  EXPECT_EQ(memory.limiter, "memory");
  EXPECT_EQ(memory.seconds, 3);
  Model const scratch = roofline(ceilings, 20, 300, 5000);
  EXPECT_EQ(scratch.limiter, "scratch");
  EXPECT_EQ(scratch.seconds, 5);
}

TEST(Roofline, SaysNothingWithoutItsCeilingsAndNothingOfBanksOnAHost) {
  Ceilings ceilings;
  EXPECT_EQ(roofline(ceilings, 1, 1, 1).seconds, 0);
  ceilings.fma = ceilings.copy = 1;
  EXPECT_EQ(roofline(ceilings, 1, 2, 3).seconds, 2);
}

TEST(ComputeThenStore, OneAfterTheOtherUnlessMemoryTakesLonger) {
  Ceilings ceilings;
  EXPECT_EQ(compute_then_store(ceilings, 1, 1, 1).seconds, 0);
  ceilings.fma = 10;
  ceilings.copy = 100;
  Model const both = compute_then_store(ceilings, 40, 50, 300);
  EXPECT_EQ(both.seconds, 4 + 3);
  EXPECT_EQ(both.limiter, "fma, stores");
  Model const memory = compute_then_store(ceilings, 40, 900, 300);
  EXPECT_EQ(memory.seconds, 12);
  EXPECT_EQ(memory.limiter, "memory");
}

}  // namespace
}  // namespace tilestride
