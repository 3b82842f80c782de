// SPDX-License-Identifier: BSD-3-Clause
#include "model/units.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace tilestride {
namespace {

TEST(ParseBytes, ReadsSizesWithBinaryUnits) {
  struct Row {
    char const* text;
    std::int64_t bytes;
  };
  for (Row const& row : {Row{"1", 1}, Row{"4096", 4096}, Row{"4096 B", 4096}, Row{"4096B", 4096}, Row{"1 KiB", 1024},
                         Row{"64 MiB", 64ll << 20}, Row{"1.5GiB", 3ll << 29}, Row{"2 TiB", 2ll << 40},
                         Row{"  8  KiB  ", 8192}, Row{"0.5 KiB", 512}, Row{"1.25 KiB", 1280}}) {
    auto const bytes = parse_bytes(row.text);
    ASSERT_TRUE(bytes) << row.text;
    EXPECT_EQ(bytes->count, row.bytes) << row.text;
    EXPECT_EQ(bytes->percent, 0) << row.text;
  }
}

TEST(ParseBytes, LosesNoDigitOfALargeCount) {
  EXPECT_EQ(parse_bytes("9007199254740993")->count, 9007199254740993);    // 2^53 + 1: no double
  EXPECT_EQ(parse_bytes("4611686018427387903")->count, (1ll << 62) - 1);  // the largest
  EXPECT_FALSE(parse_bytes("4611686018427387904"));                       // 2^62
  EXPECT_FALSE(parse_bytes("9223372036854775808"));                       // 2^63
  EXPECT_FALSE(parse_bytes("99999999999999999999999999"));
  EXPECT_FALSE(parse_bytes("4194304 TiB"));  // 2^62
  EXPECT_EQ(parse_bytes("4194303 TiB")->count, 4194303ll << 40);
}

TEST(ParseBytes, ReadsShares) {
  for (int percent : {1, 25, 100}) {
    for (std::string const space : {"", " "}) {
      auto const bytes = parse_bytes(std::to_string(percent) + space + "%");
      ASSERT_TRUE(bytes);
      EXPECT_EQ(bytes->percent, percent);
      EXPECT_EQ(bytes->count, 0);
    }
  }
}

TEST(ParseBytes, RefusesWhatIsNoPositiveWholeNumberOfBytes) {
  for (char const* text : {"",         " ",          "0",       "0 MiB", "-1",       "-64 MiB",  "+4096",
                           "0.3 B",    "1.1 KiB",    "MiB",     "64 MB", "64 mib",   "64 Mi B",  "1e6",
                           "1e3 KiB",  "0x10",       "nan",     "inf",   "infinity", "64 MiB x", "64 MiB 64 MiB",
                           "1,5 GiB",  "1.5.1 GiB",  "0 %",     "101 %", "12.5 %",   "-5 %",     "%",
                           "25 % MiB", "25 percent", "\t64 MiB"})
    EXPECT_FALSE(parse_bytes(text)) << '"' << text << '"';
}

TEST(ParseDuration, ReadsTimes) {
  EXPECT_DOUBLE_EQ(*parse_duration("2 s"), 2);
  EXPECT_DOUBLE_EQ(*parse_duration("500 ms"), 0.5);
  EXPECT_DOUBLE_EQ(*parse_duration("10 min"), 600);
  EXPECT_DOUBLE_EQ(*parse_duration("1h"), 3600);
  EXPECT_DOUBLE_EQ(*parse_duration("1.5 us"), 1.5e-6);
  EXPECT_DOUBLE_EQ(*parse_duration("3ns"), 3e-9);
}

TEST(ParseDuration, RefusesWhatIsNotPositiveAndFinite) {
  for (char const* text :
       {"", "2", "0 s", "-1 s", "s", "2 sec", "2 S", "10 minutes", "1e3 s", "nan s", "inf s", "2 s 3 ms"})
    EXPECT_FALSE(parse_duration(text)) << '"' << text << '"';
  EXPECT_FALSE(parse_duration(std::string(308, '9') + " h"));           // finite in seconds no more
  EXPECT_FALSE(parse_duration("0." + std::string(320, '0') + "1 ns"));  // 0 by underflow
  EXPECT_FALSE(parse_duration(std::string(5000, '9') + " s"));
}

TEST(ParseShape, ReadsExtents) {
  using Extents = std::vector<std::int64_t>;
  EXPECT_EQ(*parse_shape("4096x4096"), (Extents{4096, 4096}));
  EXPECT_EQ(*parse_shape("10007 x 513"), (Extents{10007, 513}));
  EXPECT_EQ(*parse_shape("1x2x3"), (Extents{1, 2, 3}));
  EXPECT_EQ(*parse_shape("7"), (Extents{7}));
  EXPECT_EQ(*parse_shape("2147483647x1"), (Extents{2147483647, 1}));
}

TEST(ParseShape, RefusesWhatIsNoListOfExtents) {
  for (char const* text :
       {"", "x", "64x", "x64", "64xx64", "0x64", "64x0", "-1x64", "64x2147483648", "64.0x64", "1e3x64", "64*64",
        "64X64", "64 by 64", "64,64", "64x64y", "99999999999999999999x1", "0x10x10"})
    EXPECT_FALSE(parse_shape(text)) << '"' << text << '"';
}

TEST(ParseRate, ReadsDecimalRates) {
  EXPECT_DOUBLE_EQ(parse_rate("3900 GB/s")->per_second, 3.9e12);
  EXPECT_EQ(parse_rate("3900 GB/s")->unit, "B/s");
  EXPECT_DOUBLE_EQ(parse_rate("50 TFLOP/s")->per_second, 5e13);
  EXPECT_EQ(parse_rate("50 TFLOP/s")->unit, "FLOP/s");
  EXPECT_DOUBLE_EQ(parse_rate("1.5MB/s")->per_second, 1.5e6);
}

TEST(ParseRate, RefusesWhatIsNoPositiveRate) {
  for (char const* text :
       {"", "3900", "0 GB/s", "-1 GB/s", "GB/s", "3900 GiB/s", "3900 GB", "nan GB/s", "1e3 GB/s", "3900 gb/s"})
    EXPECT_FALSE(parse_rate(text)) << '"' << text << '"';
}

TEST(ExactBytes, IsTheLargestUnitThatDivides) {
  EXPECT_EQ(exact_bytes(1), "1B");
  EXPECT_EQ(exact_bytes(1000), "1000B");
  EXPECT_EQ(exact_bytes(1024), "1KiB");
  EXPECT_EQ(exact_bytes(1536), "1536B");
  EXPECT_EQ(exact_bytes(64ll << 20), "64MiB");
  EXPECT_EQ(exact_bytes(3ll << 29), "1536MiB");
  EXPECT_EQ(exact_bytes(1ll << 30), "1GiB");
  EXPECT_EQ(exact_bytes(5ll << 40), "5TiB");
  EXPECT_EQ(exact_bytes(0), "0B");
}

TEST(ExactBytes, IsReadBackAsTheSameNumber) {
  std::uint64_t state = 1;
  for (int i = 0; i < 20000; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    auto const bytes = static_cast<std::int64_t>((state >> 33) % 100000 + 1) << (i % 45);
    ASSERT_EQ(parse_bytes(exact_bytes(bytes))->count, bytes);
  }
}

TEST(ShortBytes, IsForReading) {
  EXPECT_EQ(short_bytes(977), "977 B");
  EXPECT_EQ(short_bytes(0), "0 B");
  EXPECT_EQ(short_bytes(1024), "1.00 KiB");
  EXPECT_EQ(short_bytes(0x1p30), "1.00 GiB");
  EXPECT_EQ(short_bytes(1.5 * 0x1p40), "1.50 TiB");
}

TEST(ShortTime, HasThreeFigures) {
  EXPECT_EQ(short_time(93.3e-6), "93.3 us");
  EXPECT_EQ(short_time(1.21e-3), "1.21 ms");
  EXPECT_EQ(short_time(12.0), "12.0 s");
  EXPECT_EQ(short_time(125), "2 min 05 s");
  EXPECT_EQ(short_time(7e-9), "7 ns");
  EXPECT_EQ(short_time(119), "119 s");
  EXPECT_EQ(short_time(3600), "60 min 00 s");
}

TEST(ShortTime, StaysAtThreeFiguresWhereRoundingCarries) {
  EXPECT_EQ(short_time(9.996e-3), "10.0 ms");
  EXPECT_EQ(short_time(99.96e-3), "100 ms");
  EXPECT_EQ(short_time(999.6e-6), "1.00 ms");
  EXPECT_EQ(short_time(999.4e-6), "999 us");
}

TEST(ShapeText, JoinsExtents) {
  std::int64_t const extents[] = {4096, 513, 7};
  EXPECT_EQ(shape_text(extents, 1), "4096");
  EXPECT_EQ(shape_text(extents, 2), "4096x513");
  EXPECT_EQ(shape_text(extents, 3), "4096x513x7");
}

}  // namespace
}  // namespace tilestride
