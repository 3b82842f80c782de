// SPDX-License-Identifier: BSD-3-Clause
#include "patterns/common/product_blocks.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "patterns/common/teams_of_threads.hpp"
#include "patterns/matmul/blocked.hpp"
#include "portable/values.hpp"

namespace tilestride {
namespace {

/// Devices with the limits of an H200 and of an MI200: what blocks ask for must fit, and may change on no H200.
struct H200 {};
struct Mi200 {};

}  // namespace

template <>
struct Traits<H200> {
  static constexpr int warp = 32, registers = 65536, threads = 2048, teams = 32, scratch = 228 * 1024;
};
template <>
struct Traits<Mi200> {
  static constexpr int warp = 64, registers = 4 * 512 * 64, threads = 2048, teams = 16, scratch = 64 * 1024;
};

namespace {

TEST(TeamsThatFit, AreThoseThatAreAskedForUntilALimitIsMet) {
  EXPECT_EQ(teams_that_fit<H200>(4, {256, 0, 18688}), 4);
  EXPECT_EQ(teams_that_fit<Mi200>(4, {256, 0, 18688}), 3);  // of 64 KiB
  EXPECT_EQ(teams_that_fit<H200>(32, {128, 32, 4224}), 16);
  EXPECT_EQ(teams_that_fit<H200>(32, {128, 40, 8448}), 12);
  EXPECT_EQ(teams_that_fit<H200>(32, {256, 56, 33280}), 4);
  EXPECT_EQ(teams_that_fit<Mi200>(16, {128, 32, 4224}), 15);
  EXPECT_EQ(teams_that_fit<Mi200>(16, {32, 0, 0}), 16);
  EXPECT_EQ(teams_that_fit<Mi200>(16, {1024, 0, 0}), 2);
  EXPECT_EQ(teams_that_fit<Kokkos::Serial>(4, {1, 0, 1 << 20}), 4);  // no limits are known
}

template <class T>
struct Packs {
  std::vector<Pack<T>> held;
  explicit Packs(std::int64_t elements) : held(static_cast<std::size_t>(elements / Pack<T>::size + 1)) {
    std::fill_n(data(), size(), poison_value<T>());
  }
  T* data() { return held.data()->v; }
  std::int64_t size() const { return static_cast<std::int64_t>(held.size()) * Pack<T>::size; }
};

/// What is copied of a rows x columns matrix, and zeros. Spread, eight packs have elements 0, 8, 16, 24; 1, 9, 17, 25
/// and so on of 32, and of f64 elements 0, 8; 1, 9 of 16.
template <class T>
void expect_copied(T const* from, std::int64_t rows, std::int64_t columns, T const* to, std::int64_t copied_rows,
                   std::int64_t copied_columns, bool spread) {
  constexpr std::int64_t pack = Pack<T>::size;
  for (std::int64_t i = 0; i < copied_rows; ++i) {
    for (std::int64_t j = 0; j < copied_columns; ++j) {
      std::int64_t const first = j - j % (8 * pack), inside = j - first;
      std::int64_t const source = spread ? first + inside % pack * 8 + inside / pack : j;
      ASSERT_EQ(to[i * copied_columns + j], i < rows && source < columns ? from[i * columns + source] : T(0))
          << i << ", " << j;
    }
  }
}

std::int64_t rounded_up(std::int64_t extent, std::int64_t to) {
  while (extent % to != 0) ++extent;
  return extent;
}

template <class Block, class T, int Width, class LayoutOfB, bool symmetric, bool by_element = false>
void expect_product(std::int64_t m, std::int64_t n, std::int64_t k, int wanted_splits) {
  int const slabs = static_cast<int>((k + Block::depth - 1) / Block::depth), splits = std::min(wanted_splits, slabs);
  SCOPED_TRACE(fmt::format("{} {}x{}x{}, {} splits, {} at once{}", Block::name(), m, n, k, splits, Width,
                           by_element ? ", by element" : ""));
  Packs<T> a(m * k), b(k * n), c(m * n);
  for (std::int64_t i = 0; i < m * k; ++i) a.data()[i] = value_at<T>(1, i);
  for (std::int64_t i = 0; i < k * n; ++i) b.data()[i] = value_at<T>(symmetric ? 1 : 2, i);
  using Product = BlockedProduct<Block, T, Width, LayoutOfB, symmetric, by_element>;
  int const blocks = block_count<Block, symmetric>(m, n);
  int const left = splits == 1 ? 0 : (blocks + 1) / 2;  // so that there are whole ones, too
  Packs<T> parts(splits * left * Product::block_size);
  constexpr int pack = Pack<T>::size;
  bool const turned = std::is_same_v<LayoutOfB, Kokkos::LayoutLeft>;
  bool const spread = Width == 1 && !symmetric;
  std::int64_t const packed_k = rounded_up(k, pack), ldb = turned ? packed_k : rounded_up(n, spread ? 8 * pack : pack);
  std::int64_t const rows_of_b = turned ? n : packed_k;
  Packs<T> packed_a(m * packed_k), packed_b(rows_of_b * ldb);
  OperandsInPacks<T> const copies{
      {a.data(), m, k, packed_a.held.data(), m, packed_k / pack},
      {b.data(), turned ? n : k, turned ? k : n, packed_b.held.data(), rows_of_b, ldb / pack, spread}};
  for (std::int64_t i = 0; i < copies.a.size() + copies.b.size(); ++i) copies(i);
  expect_copied(a.data(), m, k, packed_a.data(), m, packed_k, false);
  expect_copied(b.data(), turned ? n : k, turned ? k : n, packed_b.data(), rows_of_b, ldb, spread);

  Product const product{by_element ? a.data() : packed_a.data(),
                        by_element ? b.data() : packed_b.data(),
                        c.data(),
                        parts.data(),
                        m,
                        n,
                        by_element ? k : packed_k,
                        by_element ? n : ldb,
                        blocks - left,
                        left,
                        splits};
  Packs<T> scratch(Product::scratch / int(sizeof(T)));
  run_teams(product, blocks - left + left * splits, Block::threads, scratch.data());
  for (std::int64_t i = 0; i < left * Product::patches; ++i) product(typename Product::SumOfParts{}, i);

  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      double expected = 0;
      for (std::int64_t s = 0; s < k; ++s)
        expected += double(a.data()[i * k + s]) * double(b.data()[turned ? j * k + s : s * n + j]);
      ASSERT_NEAR(c.data()[i * n + j], expected, 8 * double(k) * std::numeric_limits<T>::epsilon());
    }
  }
}

template <class Block, class T, class LayoutOfB, bool symmetric>
void expect_products() {
  struct Shape {
    std::int64_t m, n, k;
    int splits;
  };
  for (Shape const& s : {Shape{1, 1, 1, 1},
                         {1, 1, 97, 5},
                         {2, 3, 5, 1},
                         {33, 31, 33, 3},
                         {129, 1, 63, 1},
                         {131, 67, 17, 2},
                         {67, 65, 24, 2},
                         {33, 65, 530, 17}}) {
    expect_product<Block, T, 1, LayoutOfB, symmetric>(s.m, symmetric ? s.m : s.n, s.k, s.splits);
    if constexpr (Block::by_element > 0)
      expect_product<Block, T, 1, LayoutOfB, symmetric, true>(s.m, s.n, s.k, s.splits);
  }
  for (Shape const& s :
       {Shape{4, 4, 4, 1}, {8, 12, 20, 2}, {260, 132, 44, 3}, {8, 4, 3, 1}, {68, 136, 37, 2}, {68, 136, 264, 9}})
    expect_product<Block, T, Pack<T>::size, LayoutOfB, symmetric>(s.m, symmetric ? s.m : s.n, s.k, s.splits);
}

template <class T, bool symmetric, class LayoutOfB>
void expect_all_blocks() {
  using OnDevice = matmul::BlockedOnDevice<symmetric>;
  OnDevice::for_each_block(Tag<typename OnDevice::template Blocks<false, T>>{}, [](auto block) {
    expect_products<typename decltype(block)::type, T, LayoutOfB, symmetric>();
  });
}

TEST(BlockedProduct, F32) { expect_all_blocks<float, false, Kokkos::LayoutRight>(); }
TEST(BlockedProduct, F64) { expect_all_blocks<double, false, Kokkos::LayoutRight>(); }
TEST(BlockedProduct, OfAMatrixAndItselfTurnedF32) { expect_all_blocks<float, true, Kokkos::LayoutLeft>(); }
TEST(BlockedProduct, OfAMatrixAndItselfTurnedF64) { expect_all_blocks<double, true, Kokkos::LayoutLeft>(); }

}  // namespace
}  // namespace tilestride
