// SPDX-License-Identifier: BSD-3-Clause
#include "results/references.hpp"

#include <gtest/gtest.h>

namespace tilestride {
namespace {

TEST(References, TellOnWhatASpaceWasMeasured) {
  Json document;
  document["machine"]["cpu"] = "AMD EPYC (family 26, model 2)";
  document["programs"]["tilestride"]["spaces"]["openmp: concurrency"] = "2";
  document["programs"]["tilestride-cuda"]["spaces"]["cuda: device"] = "NVIDIA H200";
  EXPECT_EQ(measured_on(document, "openmp"), "AMD EPYC (family 26, model 2)");
  EXPECT_EQ(measured_on(document, "cuda"), "NVIDIA H200");
  EXPECT_EQ(measured_on(document, "hip"), "") << "no program of it was there";
}

}  // namespace
}  // namespace tilestride
