// SPDX-License-Identifier: BSD-3-Clause
#include "machine/threads.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "machine/build_info.hpp"

namespace tilestride {
namespace {

class Threads : public testing::Test {
 protected:
  void SetUp() override {
    auto const& facts = build_facts();
    bool const openmp = std::any_of(facts.begin(), facts.end(), [](auto const& fact) {
      return fact.first == "Kokkos devices" && fact.second.find("OPENMP") != std::string::npos;
    });
    if (!openmp) GTEST_SKIP() << "this Kokkos has no OpenMP";
    TearDown();
  }
  void TearDown() override {
    unsetenv("OMP_NUM_THREADS");
    unsetenv("KOKKOS_NUM_THREADS");
  }
};

TEST_F(Threads, AreAsManyAsKokkosHasRoomFor) {
  setenv("OMP_NUM_THREADS", "512", 1);
  EXPECT_EQ(why_too_many_threads({}), "");
  setenv("OMP_NUM_THREADS", "513", 1);
  EXPECT_EQ(why_too_many_threads({}),
            "513 threads by OMP_NUM_THREADS: OpenMP in Kokkos has room for 512, set OMP_NUM_THREADS");
  setenv("OMP_NUM_THREADS", "99999999999999999999,2", 1);
  EXPECT_NE(why_too_many_threads({}), "");
  setenv("OMP_NUM_THREADS", "4,10000", 1);  // of nested regions, which Kokkos does not have
  EXPECT_EQ(why_too_many_threads({}), "");
}

TEST_F(Threads, AreCountedAsKokkosCountsThem) {
  setenv("OMP_NUM_THREADS", "10000", 1);
  setenv("KOKKOS_NUM_THREADS", "2", 1);
  EXPECT_EQ(why_too_many_threads({}), "");
  EXPECT_NE(why_too_many_threads({"--kokkos-num-threads=1000"}), "");
  setenv("KOKKOS_NUM_THREADS", "1000", 1);
  EXPECT_NE(why_too_many_threads({"--kokkos-device-id=1"}), "");
  EXPECT_EQ(why_too_many_threads({"--kokkos-num-threads=2"}), "");
}

}  // namespace
}  // namespace tilestride
