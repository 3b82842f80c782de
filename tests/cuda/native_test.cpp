// SPDX-License-Identifier: BSD-3-Clause
// The seam is found by name at run time: in a CUDA build every row that asks for raw CUDA must find it. Needs no GPU.
#include "harness/native.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "catalogue.hpp"

namespace tilestride {
namespace {

TEST(Native, EveryRowIsResolved) {
  int rows = 0;
  for (Pattern const& pattern : catalogue()) {
    for (Variant const& variant : pattern.variants) {
      if (variant.name.rfind("vendor", 0) != 0 && variant.role != Role::native) continue;
      ++rows;
      EXPECT_NE(find_native("cuda", pattern.name + "/" + variant.name), nullptr) << pattern.name << "/" << variant.name;
    }
  }
  EXPECT_GT(rows, 0);
}

TEST(Native, VariantsThatAreWholeTrialsAreResolved) {
  for (char const* pattern :
       {"transfer", "batch", "overlap", "zero_copy", "pointer_attributes", "peer", "l2_window", "carveout", "litmus"}) {
    auto const it =
        std::find_if(catalogue().begin(), catalogue().end(), [&](Pattern const& p) { return p.name == pattern; });
    ASSERT_NE(it, catalogue().end()) << pattern;
    for (Variant const& variant : it->variants)
      EXPECT_NE(find_native("cuda", it->name + "/" + variant.name), nullptr) << pattern << "/" << variant.name;
  }
}

TEST(Native, TheHarnessFindsItsOwn) {
  for (char const* name : {"clock", "device", "state", "unavailable", "profiler", "kernels"})
    EXPECT_NE(find_native("cuda", name), nullptr) << name;
  EXPECT_EQ(find_native("cuda", "transpose/no_such_variant"), nullptr);
}

}  // namespace
}  // namespace tilestride
