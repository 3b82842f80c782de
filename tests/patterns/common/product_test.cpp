// SPDX-License-Identifier: BSD-3-Clause

// The verdict on products that were computed in ways that it must tell apart. The products are made here, element by
// element, by plain loops.

#include "patterns/common/product.hpp"

#include <gtest/gtest.h>

#include "patterns/aat/problem.hpp"
#include "patterns/matmul/split.hpp"

namespace tilestride {
namespace {

using Exec = Kokkos::Serial;

Case product_case(Pattern const& pattern, std::array<std::int64_t, 3> shape, Type type) {
  static Key const key{"shape", KeyKind::shape, "1x1x1", {"M", "N", "K"}, ""};
  Case c;
  c.pattern = &pattern;
  c.space = "serial";
  c.type = type;
  Value value;
  value.key = &key;
  value.n = shape;
  c.values = {value};
  return c;
}

/// How the elements of a product are made.
struct Making {
  int dropped_bits = 0;      ///< of each input's mantissa
  bool fused = false;        ///< one rounding for a multiplication and an addition
  std::int64_t missing = 0;  ///< terms at the end of the sum
  double added = 0;          ///< to the last element
};

template <class T>
void multiply(matmul::Matmul<Exec, T> const& p, Making const& making) {
  auto const rounded = [&](T x) {
    if constexpr (sizeof(T) == 4) return making.dropped_bits > 0 ? matmul::without_bits(x, making.dropped_bits) : x;
    return x;
  };
  for (std::int64_t i = 0; i < p.m; ++i) {
    for (std::int64_t j = 0; j < p.n; ++j) {
      volatile T sum = 0;  // rounded to T each time
      for (std::int64_t k = 0; k < p.k - making.missing; ++k) {
        T const a = rounded(p.a(i, k)), b = rounded(p.b(k, j));
        volatile T const term = a * b;
        sum = making.fused ? std::fma(a, b, T(sum)) : sum + term;
      }
      p.c(i, j) = sum;
    }
  }
  p.c(p.m - 1, p.n - 1) += static_cast<T>(making.added);
}

template <class T>
struct Verdicts {
  Check check, probe;
};

template <class T>
Verdicts<T> verdicts(std::array<std::int64_t, 3> shape, Making const& making) {
  static Pattern const pattern;
  Case const c = product_case(pattern, shape, sizeof(T) == 4 ? Type::f32 : Type::f64);
  matmul::Matmul<Exec, T> const p(Exec{}, c);
  multiply(p, making);
  Check const check = p.verify();
  return {check, p.probe([&](auto const& problem) { multiply(problem, making); }, c)};
}

TEST(Products, OfTheTypesOwnPrecisionPass) {
  for (std::array<std::int64_t, 3> const shape :
       {std::array<std::int64_t, 3>{1, 1, 1}, {1, 3000, 1}, {7, 5, 3}, {40, 50, 300}, {8, 8, 40000}, {1, 1, 100000}}) {
    for (bool const fused : {false, true}) {
      auto const f32 = verdicts<float>(shape, {0, fused});
      EXPECT_TRUE(f32.check.passed) << f32.check.detail;
      EXPECT_TRUE(f32.probe.passed) << f32.probe.detail;
      auto const f64 = verdicts<double>(shape, {0, fused});
      EXPECT_TRUE(f64.check.passed) << f64.check.detail;
      EXPECT_TRUE(f64.probe.passed) << f64.probe.detail;
    }
  }
}

/// The rms error of a plain sum in f32 is what is predicted: within a tenth, over 40000 elements.
TEST(Products, HaveTheErrorThatRoundingPredicts) {
  for (std::int64_t const depth : {16, 100, 1000}) {
    Check const check = verdicts<float>({200, 200, depth}, {0, false}).check;
    ASSERT_TRUE(check.accuracy.has_value());
    EXPECT_NEAR(check.accuracy->rms * most_rms(40000), 1, 0.1) << depth;
  }
}

TEST(Products, OfFewerBitsFail) {
  for (int const dropped : {16, 13, 6, 3}) {  // BF16, TF32, …
    for (std::int64_t const depth : {16, 256, 4096}) {
      auto const [check, probe] = verdicts<float>({24, 40, depth}, {dropped, true});
      EXPECT_FALSE(probe.passed) << dropped << " bits, K = " << depth;
      EXPECT_FALSE(dropped >= 6 && check.passed) << dropped << " bits, K = " << depth;
    }
  }
  EXPECT_FALSE(verdicts<float>({8, 8, 4096}, {1, true}).probe.passed);  // a single bit
}

TEST(Products, WithoutTheLastTermFail) {
  for (std::int64_t const depth : {2, 1000, 40000}) {
    auto const [check, probe] = verdicts<float>({8, 8, depth}, {0, true, 1});
    EXPECT_FALSE(check.passed) << depth;
    EXPECT_FALSE(probe.passed) << depth;
  }
}

TEST(Products, WithOneElementWrongFail) {
  auto const [check, probe] = verdicts<float>({8, 8, 65536}, {0, true, 0, 1.0});
  EXPECT_FALSE(check.passed && probe.passed);
  EXPECT_FALSE(probe.passed);
}

/// Which products of pieces are made.
struct Pieces {
  bool high_low = true, low_high = true;
};

/// As units that are given TF32 may multiply f32, but that sums are rounded.
void multiply_split(matmul::Matmul<Exec, float> const& p, Pieces const& pieces) {
  auto const high = [](float x) { return matmul::without_bits(x, 13); };
  auto const low = [high](float x) { return high(x - high(x)); };
  for (std::int64_t i = 0; i < p.m; ++i) {
    for (std::int64_t j = 0; j < p.n; ++j) {
      float sum = 0;
      for (std::int64_t k = 0; k < p.k; ++k) {
        float const a = p.a(i, k), b = p.b(k, j);
        if (pieces.high_low) sum = std::fma(high(a), low(b), sum);
        if (pieces.low_high) sum = std::fma(low(a), high(b), sum);
        sum = std::fma(high(a), high(b), sum);
      }
      p.c(i, j) = sum;
    }
  }
}

TEST(Products, OfSplitInputsPass) {
  static Pattern const pattern;
  for (std::array<std::int64_t, 3> const shape : {std::array<std::int64_t, 3>{1, 1, 1},
                                                  {200, 200, 1},
                                                  {200, 200, 2},
                                                  {64, 64, 16},
                                                  {40, 50, 300},
                                                  {8, 8, 4096}}) {
    matmul::Matmul<Exec, float> const p(Exec{}, product_case(pattern, shape, Type::f32));
    multiply_split(p, {});
    Check const check = p.verify({false, matmul::split_term});
    EXPECT_TRUE(check.passed) << shape[2] << ": " << check.detail;
    EXPECT_TRUE(matmul::probe_split(p, [&] { multiply_split(p, {}); }).passed) << shape[2];
  }
}

/// … and of a single term they err more than rounding explains.
TEST(Products, OfSplitInputsAreToldFromF32) {
  static Pattern const pattern;
  matmul::Matmul<Exec, float> const p(Exec{}, product_case(pattern, {200, 200, 1}, Type::f32));
  multiply_split(p, {});
  EXPECT_FALSE(p.verify().passed);
}

TEST(Products, WithoutAProductOfPiecesFail) {
  static Pattern const pattern;
  for (Pieces const pieces : {Pieces{false, true}, Pieces{true, false}, Pieces{false, false}}) {
    for (bool const cut_off : {false, true}) {
      for (std::int64_t const depth : {1, 16, 256, 4096}) {
        matmul::Matmul<Exec, float> const p(Exec{}, product_case(pattern, {24, 40, depth}, Type::f32));
        multiply_split(p, pieces);
        EXPECT_FALSE(p.verify({cut_off, matmul::split_term}).passed) << depth;
        EXPECT_FALSE(matmul::probe_split(p, [&] { multiply_split(p, pieces); }).passed) << depth;
      }
    }
  }
}

/// Sums that are cut off at each step, in plain f32.
TEST(Products, WithSumsThatAreCutOffPassWhereTheyMay) {
  static Pattern const pattern;
  matmul::Matmul<Exec, float> const p(Exec{}, product_case(pattern, {64, 64, 4096}, Type::f32));
  for (std::int64_t i = 0; i < p.m; ++i) {
    for (std::int64_t j = 0; j < p.n; ++j) {
      float sum = 0;
      for (std::int64_t k = 0; k < p.k; k += 8) {
        double exact = sum;
        for (std::int64_t l = k; l < k + 8; ++l)
          exact += static_cast<double>(p.a(i, l)) * static_cast<double>(p.b(l, j));
        sum = static_cast<float>(exact);
        if (std::abs(static_cast<double>(sum)) > std::abs(exact)) sum = std::nextafter(sum, 0.0F);
      }
      p.c(i, j) = sum;
    }
  }
  EXPECT_FALSE(p.verify().passed);
  Check const check = p.verify({true});
  EXPECT_TRUE(check.passed) << check.detail;
  ASSERT_TRUE(check.accuracy.has_value());
  EXPECT_GT(check.accuracy->rms, 1);  // a share of what rounding explains
}

TEST(Products, LeaveTheInputsAsTheyWere) {
  static Pattern const pattern;
  Case const c = product_case(pattern, {9, 11, 13}, Type::f32);
  matmul::Matmul<Exec, float> const p(Exec{}, c);
  p.probe([&](auto const& problem) { multiply(problem, {}); }, c);
  for (Buffer const& buffer : *p.memory.buffers()) EXPECT_TRUE(buffer.intact().passed) << buffer.name;
}

void multiply_rows(aat::Aat<Exec, float> const& p, int dropped) {
  auto const rounded = [&](float x) { return dropped > 0 ? matmul::without_bits(x, dropped) : x; };
  for (std::int64_t i = 0; i < p.m; ++i) {
    for (std::int64_t j = 0; j < p.m; ++j) {
      float sum = 0;
      for (std::int64_t k = 0; k < p.k; ++k) sum = std::fma(rounded(p.a(i, k)), rounded(p.a(j, k)), sum);
      p.c(i, j) = sum;
    }
  }
}

TEST(SymmetricProducts, AreToldApartByTheSameMeans) {
  static Pattern const pattern;
  for (std::array<std::int64_t, 3> const shape :
       {std::array<std::int64_t, 3>{1, 1, 0}, {1, 5000, 0}, {30, 400, 0}, {300, 3, 0}}) {
    Case const c = product_case(pattern, shape, Type::f32);
    aat::Aat<Exec, float> const p(Exec{}, c);
    multiply_rows(p, 0);
    EXPECT_TRUE(p.verify().passed) << p.verify().detail;
    EXPECT_TRUE(p.probe([](auto const& problem) { multiply_rows(problem, 0); }, c).passed);
    if (shape[0] == 1) continue;  // a single row selects from nothing
    multiply_rows(p, 13);
    EXPECT_FALSE(p.verify().passed);
    EXPECT_FALSE(p.probe([](auto const& problem) { multiply_rows(problem, 13); }, c).passed);
  }
}

}  // namespace
}  // namespace tilestride
