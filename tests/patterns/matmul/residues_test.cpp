// SPDX-License-Identifier: BSD-3-Clause
#include "patterns/matmul/residues.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace tilestride::matmul {
namespace {

using Wide = __int128;

template <class Count>
struct Residues : testing::Test {
  static constexpr int count = Count::value;
  static constexpr Moduli<count> moduli{};

  static Wide product_of_moduli() {
    Wide product = 1;
    for (Weight const& w : moduli.weight) product *= w.modulus;
    return product;
  }
  /// whole_of, from the remainders of x.
  static double found(Wide x) {
    return std::ldexp(whole_of<count>([&](int i) { return static_cast<int>(x % moduli.weight[i].modulus); }),
                      moduli.unit);
  }
  /// Both are rounded once, and what is found lacks the last bits of P.
  static double tolerance(Wide x) {
    return std::abs(static_cast<double>(x)) * 0x1p-52 + std::ldexp(1.0, moduli.length - 76);
  }
};

using Counts =
    testing::Types<std::integral_constant<int, 12>, std::integral_constant<int, 13>, std::integral_constant<int, 14>,
                   std::integral_constant<int, 15>, std::integral_constant<int, 16>>;
TYPED_TEST_SUITE(Residues, Counts, );  // gtest takes a third argument for names

Wide random_wide(std::mt19937_64& random) {
  return static_cast<Wide>(static_cast<unsigned __int128>(random()) << 64 | random());
}

TYPED_TEST(Residues, AnIntegerIsKnownFromItsRemainders) {
  std::mt19937_64 random(1);
  Wide const most = TestFixture::product_of_moduli() / 1000 * 499;
  for (int i = 0; i < 100000; ++i) {
    Wide const x = random_wide(random) % most >> random() % 126;  // of any magnitude
    EXPECT_NEAR(TestFixture::found(x), static_cast<double>(x), TestFixture::tolerance(x));
  }
}

TYPED_TEST(Residues, ProductsOfFullNumbersAndPowersOfTwoAreExact) {
  std::mt19937_64 random(2);
  int const bits = Moduli<TestFixture::count>::bits(1);
  for (int i = 0; i < 10000; ++i) {
    int const places = std::min(bits, 53);
    Wide const full = static_cast<std::int64_t>(random() >> (64 - places)) | 1 | std::int64_t(1) << (places - 1);
    Wide const x = (i % 2 == 0 ? full : -full) * (Wide(1) << (bits - 1));
    EXPECT_EQ(TestFixture::found(x), static_cast<double>(x));
  }
}

TYPED_TEST(Residues, SumsOfProductsAreThoseOfTheIntegers) {
  std::mt19937_64 random(3);
  for (int const terms : {1, 7, 64, 1000, 8192}) {
    int const bits = Moduli<TestFixture::count>::bits(terms);
    for (int round = 0; round < 20; ++round) {
      std::vector<double> a(terms), b(terms);
      Wide expected = 0;
      for (int k = 0; k < terms; ++k) {
        // The largest there are, all of one sign, in every fourth round.
        auto const draw = [&] {
          auto const x = static_cast<std::int64_t>(random() >> (64 - bits));
          return round % 4 == 0 ? std::int64_t(1) << bits : (random() & 1) != 0 ? x : -x;
        };
        std::int64_t const x = draw(), y = draw();
        a[k] = static_cast<double>(x), b[k] = static_cast<double>(y);
        expected += static_cast<Wide>(static_cast<std::int64_t>(a[k])) * static_cast<std::int64_t>(b[k]);
      }
      double const got = whole_of<TestFixture::count>([&](int i) {
        std::int32_t sum = 0;
        int const modulus = TestFixture::moduli.weight[i].modulus;
        for (int k = 0; k < terms; ++k)
          sum +=
              static_cast<std::int8_t>(remainder(a[k], modulus)) * static_cast<std::int8_t>(remainder(b[k], modulus));
        return sum;
      });
      EXPECT_NEAR(std::ldexp(got, TestFixture::moduli.unit), static_cast<double>(expected),
                  TestFixture::tolerance(expected))
          << terms << " terms";
    }
  }
}

TEST(Remainder, FitsEightBitsAndIsThatOfTheInteger) {
  std::mt19937_64 random(4);
  constexpr Moduli<16> moduli;
  for (Weight const& w : moduli.weight) {
    for (int i = 0; i < 100000; ++i) {
      std::int64_t const x = (static_cast<std::int64_t>(random()) >> 7 >> random() % 56) / (1 << 4) * (1 << 4);
      int const r = remainder(static_cast<double>(x), w.modulus);
      EXPECT_EQ(r, static_cast<std::int8_t>(r));
      EXPECT_EQ((x - r) % w.modulus, 0) << x;
    }
    for (double const edge : {0.0, 127.0, 128.0, -128.0, -129.0, 0x1p56, -0x1p56})
      EXPECT_EQ((static_cast<std::int64_t>(edge) - remainder(edge, w.modulus)) % w.modulus, 0) << edge;
  }
}

TEST(Moduli, HaveTheBitsThatASumNeedsAndNoFewer) {
  for (std::int64_t const terms : {1, 64, 1000, 8192, 32768}) {
    unsigned __int128 product = 1;
    for (Weight const& w : Moduli<14>{}.weight) product *= static_cast<unsigned>(w.modulus);
    auto const needed = [&](int bits) { return static_cast<unsigned __int128>(terms) << (2 * bits + 1); };
    int const bits = Moduli<14>::bits(terms);
    EXPECT_LT(needed(bits), product);
    EXPECT_GT(needed(bits + 1), product / 2);
  }
}

}  // namespace
}  // namespace tilestride::matmul
