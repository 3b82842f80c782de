// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <vector>

#include "patterns/bandwidth/amount.hpp"

namespace tilestride::bandwidth {
namespace {

/// How often each pack of the set is read by one reader, and that its threads stay in its range.
std::vector<int> times_read(Reading const& reading, int reader) {
  std::vector<int> times(static_cast<std::size_t>(reading.packs));
  Range const range = range_of(reading, reader);
  for (int thread = 0; thread < reading.threads; ++thread) {
    for (Share share(reading, range, thread); share.left > 0; --share.left) {
      std::int64_t const pack = share.next() / pack_bytes;
      EXPECT_LT(pack, range.count);
      ++times.at(static_cast<std::size_t>(range.begin + pack));
    }
  }
  return times;
}

TEST(Share, TheThreadsOfAReaderReadItsRangeOncePerPass) {
  for (std::int64_t const packs : {1, 2, 31, 32, 33, 1000}) {
    for (int const threads : {1, 4, 32, 1024}) {
      for (std::int64_t const passes : {1, 3}) {
        for (int reader = 0; reader < 3; ++reader) {
          auto const times = times_read({packs, 3, false, passes, threads, 0}, reader);
          EXPECT_EQ(times, std::vector<int>(times.size(), static_cast<int>(passes))) << packs << " " << threads;
        }
      }
    }
  }
}

TEST(Share, ThePartsOfAllReadersAreTheSet) {
  for (std::int64_t const packs : {1, 2, 7, 64, 1001}) {
    for (int const readers : {1, 2, 5, 132}) {
      std::vector<int> all(static_cast<std::size_t>(packs));
      for (int reader = 0; reader < readers; ++reader) {
        auto const times = times_read({packs, readers, true, 2, 32, 0}, reader);
        for (std::size_t i = 0; i < all.size(); ++i) all[i] += times[i];
      }
      EXPECT_EQ(all, std::vector<int>(all.size(), 2)) << packs << " packs, " << readers << " readers";
    }
  }
}

TEST(Share, ReadersOfTheWholeSetBeginApart) {
  Reading const reading{100, 4, false, 1, 1, 0};
  for (std::uint32_t reader = 0; reader < 4; ++reader) {
    Range const range = range_of(reading, static_cast<int>(reader));
    EXPECT_EQ(range.start, 25 * reader);
    EXPECT_EQ(Share(reading, range, 0).next(), 25 * reader * pack_bytes);
  }
}

TEST(Share, TheLargestRangeDoesNotOverflow) {
  std::int64_t const packs = (std::int64_t{1} << 27) - 1;
  Reading const reading{packs, 1, false, 2, 1024, 0};
  Share share(reading, range_of(reading, 0), 1023);
  share.at = static_cast<std::uint32_t>(pack_bytes * (packs - 1));
  EXPECT_EQ(share.next() / pack_bytes, packs - 1);
  EXPECT_EQ(share.next() / pack_bytes, 1023);
  EXPECT_EQ(share.left, (2 * packs - 1023 + 1023) / 1024);
}

/// A case with these values of the keys.
class Amount : public testing::Test {
 protected:
  Case with(std::int64_t bytes, bool parts, std::int64_t readers, std::int64_t passes) const {
    Case c;
    c.space = "cuda";
    c.hardware.multiprocessors = 132;
    c.values = {{&keys_[0], {bytes}}, {&keys_[1], {parts ? 1 : 0}}, {&keys_[2], {readers}}, {&keys_[3], {passes}}};
    return c;
  }

 private:
  std::vector<Key> keys_{{"bytes", KeyKind::bytes, "", {}, ""},
                         {"reads", KeyKind::choice, "", {"set", "part"}, ""},
                         {"readers", KeyKind::integer, "", {}, ""},
                         {"passes", KeyKind::integer, "", {}, ""}};
};

TEST_F(Amount, AReaderReadsEnough) {
  EXPECT_EQ(pass_count(with(least_bytes, false, 0, 0)), 1);
  EXPECT_EQ(pass_count(with(least_bytes + 16, false, 0, 0)), 1);
  EXPECT_EQ(pass_count(with(16, false, 0, 0)), least_bytes / 16);
  EXPECT_EQ(pass_count(with(least_bytes, true, 0, 0)), 132);
  EXPECT_EQ(pass_count(with(16, true, 0, 0)), least_bytes / 16) << "parts that are less than a pack";
  EXPECT_EQ(pass_count(with(1 << 20, true, 0, 7)), 7) << "as asked";
}

TEST_F(Amount, BytesAreThoseThatAllReadersAskFor) {
  EXPECT_EQ(bytes_read(with(1 << 20, false, 0, 2)), 132.0 * 2 * (1 << 20));
  EXPECT_EQ(bytes_read(with(1 << 20, false, 5, 2)), 5.0 * 2 * (1 << 20));
  EXPECT_EQ(bytes_read(with(1 << 20, true, 0, 2)), 2.0 * (1 << 20));
  Case host = with(1 << 20, false, 0, 3);
  host.space = "openmp";
  host.hardware = {};
  host.hardware.threads = 2;
  EXPECT_EQ(bytes_read(host), 2.0 * 3 * (1 << 20));
}

}  // namespace
}  // namespace tilestride::bandwidth
