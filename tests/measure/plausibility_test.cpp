// SPDX-License-Identifier: BSD-3-Clause
#include "measure/plausibility.hpp"

#include <gtest/gtest.h>

#include "small_catalogue.hpp"

namespace tilestride {
namespace {

/// One case whose work and ceilings a test sets.
struct Measured {
  Pattern pattern = small_pattern("any", {Type::f32}, Figure::bandwidth, {}, {small_variant("one")});
  Case c;
  Result result;
  Device device;

  explicit Measured(Figure figure, double seconds) {
    pattern.figure = figure;
    c.pattern = &pattern;
    c.variant = &pattern.variants.front();
    result.planned = &c;
    result.samples = {seconds, seconds, seconds};
  }
  Measured(Measured const&) = delete;
  std::string reason() const { return why_impossible(result, c, device); }
};

TEST(Plausibility, AllowsFiveTimesTheCopyAndNoMore) {
  Measured m(Figure::bandwidth, 1e-3);
  m.result.yardsticks["copy"] = {10e9 / 2, 10e9};
  m.result.work.bytes = 49e6;
  EXPECT_EQ(m.reason(), "");
  m.result.work.bytes = 51e6;
  EXPECT_NE(m.reason().find("5 times the measured copy"), std::string::npos) << m.reason();
}

TEST(Plausibility, TakesTheFasterOfCopyAndRead) {
  Measured m(Figure::bandwidth, 1e-3);
  m.result.yardsticks["copy"] = {10e9 / 2, 10e9};
  m.result.yardsticks["read"] = {20e9 / 2, 20e9};
  m.result.work.bytes = 90e6;
  EXPECT_EQ(m.reason(), "");
}

TEST(Plausibility, SaysNothingOfACopyThatIsItsLaunch) {
  Measured m(Figure::bandwidth, 1e-6);  // the yardstick took 10 us
  m.result.yardsticks["copy"] = {10e9 / 2, 10e9};
  m.result.work.bytes = 100e3;
  EXPECT_EQ(m.reason(), "");
}

TEST(Plausibility, LeavesSmallCopiesOfDevicesAlone) {
  Measured m(Figure::bandwidth, 1e-3);
  m.result.yardsticks["copy"] = {1e9 / 2, 1e9};
  m.device.peak_bandwidth = 1e12;
  m.device.last_cache = 1e9;
  m.result.work.bytes = 100e6;
  EXPECT_EQ(m.reason(), "");
}

TEST(Plausibility, KnowsWhatCachesCanMove) {
  Measured m(Figure::bandwidth, 1e-6);
  m.device.cache_bandwidth = 1e12;
  m.result.work.bytes = 0.9e6;
  EXPECT_EQ(m.reason(), "");
  m.result.work.bytes = 1.1e6;
  EXPECT_NE(m.reason().find("caches can move"), std::string::npos) << m.reason();
}

TEST(Plausibility, AllowsForWhatCachesHoldFromBefore) {
  Measured m(Figure::bandwidth, 1e-3);
  m.pattern.needs = [](Case const&) { return 1e9; };
  m.device.last_cache = 0.2e9;
  m.device.peak_bandwidth = 100e9;
  m.result.work.bytes = 124e6;
  EXPECT_EQ(m.reason(), "");
  m.result.work.bytes = 126e6;
  EXPECT_NE(m.reason().find("memory's peak, 125 GB/s"), std::string::npos) << m.reason();
}

TEST(Plausibility, CountsBytesThatReadersShareOnce) {
  Measured m(Figure::bandwidth, 1e-3);
  m.pattern.needs = [](Case const&) { return 1e9; };
  m.pattern.from_memory = [](Case const&) { return 90e6; };
  m.device.peak_bandwidth = 100e9;
  m.result.work.bytes = 900e6;
  EXPECT_EQ(m.reason(), "");
  m.pattern.from_memory = [](Case const&) { return 110e6; };
  EXPECT_NE(m.reason().find("110 GB/s is above the memory's peak"), std::string::npos) << m.reason();
}

TEST(Plausibility, HoldsTheMemoryToItsPeak) {
  Measured m(Figure::bandwidth, 1e-3);
  m.pattern.needs = [](Case const&) { return 1e9; };
  m.device.last_cache = 1e6;
  m.device.peak_bandwidth = 100e9;
  m.result.work.bytes = 110e6;
  EXPECT_NE(m.reason().find("memory's peak"), std::string::npos) << m.reason();
  m.device.last_cache = 1e9;  // now it fits
  EXPECT_EQ(m.reason(), "");
}

TEST(Plausibility, AllowsMatrixUnitsAndLibrariesMoreThanMultiplyAdds) {
  Measured m(Figure::compute, 1e-3);
  m.pattern.work = [](Case const&) { return Work{0, 51e6, 0}; };
  m.result.work = m.pattern.work(m.c);
  m.result.yardsticks["fma"] = {10e9 / 2, 10e9};
  EXPECT_NE(m.reason().find("5 times the measured multiply-adds"), std::string::npos) << m.reason();
  m.pattern.variants.front().matrix_units = true;
  EXPECT_EQ(m.reason(), "");
  m.device.peak_f32 = 20e9;
  EXPECT_NE(m.reason().find("device's peak"), std::string::npos) << m.reason();
  m.result.notes["made of"] = "products of a type that has a higher peak";
  EXPECT_EQ(m.reason(), "");
  m.result.notes.clear();
  m.device.peak_f32 = 0;
  m.pattern.variants.front().matrix_units = false;
  m.pattern.variants.front().role = Role::library;
  EXPECT_EQ(m.reason(), "");
}

TEST(Plausibility, KnowsThatNoLoadTakesLessThanHalfAClock) {
  Measured m(Figure::latency, 1e-6);
  m.result.work.operations = 9e3;
  EXPECT_EQ(m.reason(), "");
  m.result.work.operations = 11e3;
  EXPECT_NE(m.reason().find("half a clock"), std::string::npos) << m.reason();
  m.device.clock = 1e9;
  m.result.work.operations = 3e3;
  EXPECT_NE(m.reason().find("half a clock"), std::string::npos) << m.reason();
}

}  // namespace
}  // namespace tilestride
