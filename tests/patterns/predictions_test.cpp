// SPDX-License-Identifier: BSD-3-Clause

// What is predicted of the loads and stores of a device, against kernels whose warps are walked one by one.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "patterns/catalogue.hpp"
#include "patterns/common/banks.hpp"
#include "plan/plan.hpp"

namespace tilestride {
namespace {

using Predicted = std::map<std::string, double>;

Predicted predictions(std::string const& deck_text) {
  std::vector<Mistake> mistakes;
  Deck const deck = parse_deck("schema = 1\n[[case]]\nspace = \"cuda\"\n" + deck_text, "test.toml", mistakes);
  Plan const plan = make_plan(deck, catalogue(), {{"cuda"}, "cuda"}, "", mistakes);
  EXPECT_EQ(mistakes.empty() ? "" : describe(mistakes, deck), "");
  EXPECT_EQ(plan.cases.size(), 1u);
  Case c = plan.cases.at(0);
  c.hardware.warp = 32;
  c.hardware.sector = 32;
  c.hardware.banks = 32;
  Predicted found;
  for (auto const& [name, value] : c.predictions()) found[name] = value;
  return found;
}

/// The byte address that thread t of a block asks for; negative: none.
using AddressOf = std::function<std::int64_t(int t)>;

/// Counts as the hardware does.
struct Counters {
  double requests = 0, sectors = 0;
  double shared_requests = 0, wavefronts = 0;

  void global(int threads, AddressOf const& address) {
    for (int warp = 0; warp < threads; warp += 32) {
      std::set<std::int64_t> touched;
      for (int t = warp; t < std::min(warp + 32, threads); ++t) {
        if (address(t) >= 0) touched.insert(address(t) / 32);
      }
      requests += touched.empty() ? 0 : 1;
      sectors += static_cast<double>(touched.size());
    }
  }
  void shared(int threads, int word, Direction direction, AddressOf const& address) {
    for (int warp = 0; warp < threads; warp += 32) {
      LaneAddresses addresses;
      for (int t = warp; t < warp + 32; ++t) addresses.push_back(t < threads ? address(t) : no_address);
      if (*std::max_element(addresses.begin(), addresses.end()) < 0) continue;
      ++shared_requests;
      wavefronts += tilestride::wavefronts(nvidia_banks, addresses, word, direction);
    }
  }
  double mean() const { return sectors / requests; }
  double mean_wavefronts() const { return wavefronts / shared_requests; }
};

char const* name_of_element(int element) { return element == 4 ? "f32" : "f64"; }

constexpr std::int64_t elsewhere = std::int64_t(1) << 40;  // another matrix

/// Of C = A B with a thread for each element of a tile. With `b_turned`, B is A seen by columns.
struct Product {
  int m, n, k, tile, element;
  bool stage_a, stage_b, b_turned;
  Counters loads, scratch_loads, scratch_stores;

  std::int64_t a(std::int64_t i, std::int64_t j) const { return (i * k + j) * element; }
  std::int64_t b(std::int64_t i, std::int64_t j) const {
    return b_turned ? a(j, i) : elsewhere + (i * n + j) * element;
  }
  void walk() {
    for (int row = 0; row < m; row += tile) {
      for (int col = 0; col < n; col += tile) block(row, col);
    }
  }
  void block(int row, int col) {
    int const threads = tile * tile;
    auto const x = [this](int t) { return t % tile; };
    auto const y = [this](int t) { return t / tile; };
    for (int k0 = 0; k0 < k; k0 += tile) {
      if (stage_a) {
        loads.global(threads, [&](int t) { return a(row + y(t), k0 + x(t)); });
        scratch_stores.shared(threads, element, Direction::store, [&](int t) { return t * element; });
      }
      if (stage_b) {  // along the rows of memory
        loads.global(threads, [&](int t) { return b_turned ? a(col + y(t), k0 + x(t)) : b(k0 + y(t), col + x(t)); });
        scratch_stores.shared(threads, element, Direction::store,
                              [&](int t) { return (b_turned ? x(t) * tile + y(t) : t) * element; });
      }
      for (int i = 0; i < tile; ++i) {
        int const pack = 16 / element;
        if (!stage_a) loads.global(threads, [&](int t) { return a(row + y(t), k0 + i); });
        if (!stage_b) loads.global(threads, [&](int t) { return b(k0 + i, col + x(t)); });
        if (stage_a && i % pack == 0)
          scratch_loads.shared(threads, 16, Direction::load, [&](int t) { return (y(t) * tile + i) * element; });
        if (stage_b)
          scratch_loads.shared(threads, element, Direction::load, [&](int t) { return (i * tile + x(t)) * element; });
      }
    }
  }
};

void expect_product(std::string const& pattern, std::string const& variant, bool stage_a, bool stage_b) {
  bool const is_aat = pattern == "aat";
  for (int const element : {4, 8}) {
    for (int const tile : {8, 16, 32}) {
      Product product{64, is_aat ? 64 : 96, 128, tile, element, stage_a, stage_b, is_aat, {}, {}, {}};
      product.walk();
      std::string const shape = is_aat ? "64x128" : "64x96x128";
      for (std::string const prefix : {"", "native_"}) {
        std::string const text = "pattern = \"" + pattern + "\"\nvariant = \"" + prefix + variant + "\"\ntype = \"" +
                                 name_of_element(element) + "\"\nshape = \"" + shape +
                                 "\"\ntile = " + std::to_string(tile) + "\n";
        SCOPED_TRACE(text);
        Predicted const found = predictions(text);
        EXPECT_EQ(found.at("load requests"), product.loads.requests);
        EXPECT_EQ(found.at("load sectors"), product.loads.sectors);
        if (!stage_a) continue;
        EXPECT_DOUBLE_EQ(found.at("load wavefronts"), product.scratch_loads.mean_wavefronts());
        EXPECT_DOUBLE_EQ(found.at("store wavefronts"), product.scratch_stores.mean_wavefronts());
      }
    }
  }
}

TEST(Predictions, OfTheTutorialsProducts) {
  expect_product("matmul", "simple", false, false);
  expect_product("matmul", "coalesced", true, false);
  expect_product("matmul", "shared", true, true);
  expect_product("aat", "simple", false, false);
  expect_product("aat", "row_tile", true, false);
  expect_product("aat", "coalesced", true, true);
}

TEST(Predictions, AreNotMadeOfTilesThatAreCutOff) {
  std::string const product = "pattern = \"matmul\"\nvariant = \"shared\"\ntile = 32\nshape = ";
  EXPECT_FALSE(predictions(product + "\"64x64x64\"\n").empty());
  for (std::string const shape : {"65x64x64", "64x65x64", "64x64x65"})
    EXPECT_TRUE(predictions(product + "\"" + shape + "\"\n").empty()) << shape;
  std::string const transpose = "pattern = \"transpose\"\nvariant = \"row_read\"\nshape = ";
  EXPECT_FALSE(predictions(transpose + "\"64x64\"\n").empty());
  EXPECT_TRUE(predictions(transpose + "\"64x65\"\n").empty());
}

void expect_transpose(std::string const& variant, int tile, int pad, bool strided_load, bool strided_store) {
  constexpr std::int64_t rows = 128, cols = 192;
  for (int const element : {4, 8}) {
    int const threads = std::clamp(tile * tile / 8, 32, 256), step = threads / tile;
    Counters loads, stores, scratch_loads, scratch_stores;
    for (std::int64_t row = 0; row < rows; row += tile) {
      for (std::int64_t col = 0; col < cols; col += tile) {
        for (int i = 0; i < tile; i += step) {
          auto const x = [&](int t) { return t % tile; };
          auto const y = [&](int t) { return t / tile + i; };
          auto const along = [&](int t) { return ((row + y(t)) * cols + col + x(t)) * element; };
          auto const down = [&](int t) { return ((row + x(t)) * cols + col + y(t)) * element; };
          auto const out_along = [&](int t) { return ((col + y(t)) * rows + row + x(t)) * element; };
          auto const out_down = [&](int t) { return ((col + x(t)) * rows + row + y(t)) * element; };
          loads.global(threads, strided_load ? AddressOf(down) : along);
          stores.global(threads, strided_store ? AddressOf(out_down) : out_along);
          if (pad < 0) continue;
          scratch_stores.shared(threads, element, Direction::store,
                                [&](int t) { return (y(t) * (tile + pad) + x(t)) * element; });
          scratch_loads.shared(threads, element, Direction::load,
                               [&](int t) { return (x(t) * (tile + pad) + y(t)) * element; });
        }
      }
    }
    for (std::string const prefix : {"", "native_"}) {
      std::string const text = "pattern = \"transpose\"\nvariant = \"" + prefix + variant + "\"\ntype = \"" +
                               name_of_element(element) + "\"\nshape = \"128x192\"\n" +
                               (pad < 0 ? "" : "tile = " + std::to_string(tile) + "\n");
      SCOPED_TRACE(text);
      Predicted const found = predictions(text);
      EXPECT_EQ(found.at("sectors/load"), loads.mean());
      EXPECT_EQ(found.at("sectors/store"), stores.mean());
      if (pad < 0) continue;
      EXPECT_EQ(found.at("store wavefronts"), scratch_stores.mean_wavefronts());
      EXPECT_EQ(found.at("load wavefronts"), scratch_loads.mean_wavefronts());
    }
  }
}

TEST(Predictions, OfTransposes) {
  expect_transpose("row_read", 32, -1, false, true);
  expect_transpose("row_write", 32, -1, true, false);
  for (int const tile : {8, 16, 32, 64}) {
    expect_transpose("tiled", tile, 0, false, false);
    expect_transpose("padded", tile, 1, false, false);
  }
}

/// One chunk of 1024 outputs: 256 threads with four outputs each, a block's width apart.
void expect_stencil(std::string const& variant, int radius, int distinct) {
  int const width = 2 * radius + 1;
  constexpr int threads = 256, points = 4;
  for (int const element : {4, 8}) {
    Counters loads, stores, scratch_loads, scratch_stores;
    auto const stage = [&](int count, std::int64_t from) {
      for (int e = 0; e < count; e += threads) {
        auto const place = [&](int t) { return e + t < count ? std::int64_t(e + t) * element : -1; };
        loads.global(threads, [&](int t) { return place(t) < 0 ? -1 : from + place(t); });
        scratch_stores.shared(threads, element, Direction::store, place);
      }
    };
    bool const in_scratch = variant == "scratch" || variant == "native_scratch";
    if (in_scratch) {
      stage(distinct * width, elsewhere);
      stage(threads * points + 2 * radius, 0);
    }
    auto const load = [&](std::int64_t at, AddressOf const& place) {
      if (in_scratch)
        scratch_loads.shared(threads, element, Direction::load, [&](int t) { return place(t) * element; });
      else
        loads.global(threads, [&](int t) { return at + place(t) * element; });
    };
    for (int k = 0; k < width; ++k) {
      if (variant != "native_constant") load(elsewhere, [&](int t) { return t % distinct * width + k; });
      for (int p = 0; p < points; ++p) load(0, [&](int t) { return t + p * threads + k; });
    }
    for (int p = 0; p < points; ++p) stores.global(threads, [&](int t) { return (t + p * threads) * element; });
    std::string const text = "pattern = \"stencil\"\nvariant = \"" + variant + "\"\ntype = \"" +
                             name_of_element(element) + "\"\nbytes = \"1 MiB\"\nradius = " + std::to_string(radius) +
                             "\ndistinct = " + std::to_string(distinct) + "\n";
    SCOPED_TRACE(text);
    Predicted const found = predictions(text);
    EXPECT_DOUBLE_EQ(found.at("sectors/load"), loads.mean());
    EXPECT_DOUBLE_EQ(found.at("sectors/store"), stores.mean());
    if (!in_scratch) continue;
    EXPECT_DOUBLE_EQ(found.at("store wavefronts"), scratch_stores.mean_wavefronts());
    EXPECT_DOUBLE_EQ(found.at("load wavefronts"), scratch_loads.mean_wavefronts());
  }
}

TEST(Predictions, OfStencils) {
  for (std::string const variant : {"global", "native_read_only", "scratch", "native_scratch", "native_constant"}) {
    for (int const radius : {1, 4, 16}) {
      for (int const distinct : {1, 2, 32}) expect_stencil(variant, radius, distinct);
    }
  }
}

TEST(Predictions, OfStreamsThatAreWholeWarps) {
  for (std::string const variant : {"flat", "blocked", "native_blocked"}) {
    std::string const text = "pattern = \"stream\"\nop = \"triad\"\nvariant = \"" + variant + "\"\nbytes = ";
    Predicted const found = predictions(text + "\"1 MiB\"\ntype = \"f32\"\n");
    int const element = variant == "flat" ? 4 : 16;
    Counters loads;
    loads.global(256, [&](int t) { return t * element; });
    EXPECT_EQ(found.at("sectors/load"), loads.mean());
    EXPECT_EQ(found.at("sectors/store"), loads.mean());
    EXPECT_TRUE(predictions(text + "\"1000 B\"\n").empty());
  }
}

TEST(Predictions, OfWhatIsReadFromMemory) {
  auto const fetched = [](std::string const& deck, std::string const& space = "cuda") {
    std::vector<Mistake> mistakes;
    Deck const parsed = parse_deck("schema = 1\n[[case]]\nspace = \"" + space + "\"\n" + deck, "test.toml", mistakes);
    return make_plan(parsed, catalogue(), {{"cuda", "openmp"}, "cuda"}, "", mistakes).cases.at(0).fetched();
  };
  double const mebibyte = 1048576;
  EXPECT_EQ(fetched("pattern = \"stream\"\nvariant = \"flat\"\nop = \"scale\"\nbytes = \"1 MiB\"\n"), mebibyte);
  EXPECT_EQ(fetched("pattern = \"stream\"\nvariant = \"flat\"\nop = \"triad\"\nbytes = \"1 MiB\"\n"), 2 * mebibyte);
  EXPECT_EQ(fetched("pattern = \"stream\"\nvariant = \"flat\"\nop = \"dot\"\nbytes = \"1 MiB\"\n"), 2 * mebibyte);
  EXPECT_EQ(fetched("pattern = \"stream\"\nvariant = \"vendor\"\nop = \"copy\"\nbytes = \"1 MiB\"\n"), 0);
  EXPECT_EQ(fetched("pattern = \"stream\"\nvariant = \"flat\"\nop = \"copy\"\nbytes = \"1 MiB\"\n", "openmp"), 0);
  EXPECT_EQ(fetched("pattern = \"reduce\"\nvariant = \"team\"\nbytes = \"1 MiB\"\n"), mebibyte);
  EXPECT_EQ(fetched("pattern = \"stencil\"\nvariant = \"scratch\"\nbytes = \"1 MiB\"\n"), mebibyte);
  EXPECT_EQ(fetched("pattern = \"offset_copy\"\nvariant = \"offset\"\nbytes = \"1 MiB\"\n"), mebibyte);
  EXPECT_EQ(fetched("pattern = \"offset_copy\"\nvariant = \"partial\"\nbytes = \"1 MiB\"\n"), 2 * mebibyte);
  std::string const turned = "pattern = \"transpose\"\ntype = \"f64\"\nshape = \"300x200\"\nvariant = ";
  EXPECT_EQ(fetched(turned + "\"tiled\"\n"), 300 * 200 * 8);
  EXPECT_EQ(fetched(turned + "\"row_read\"\n"), 0);
  EXPECT_EQ(fetched("pattern = \"matmul\"\nvariant = \"simple\"\nshape = \"64x64x64\"\n"), 0);
}

/// Note 004: without tiles each element of A is read N times and each of B M times, with tiles N/tile and M/tile times.
TEST(Intensity, OfTheTutorialsProducts) {
  auto const intensity = [](std::string const& keys) {
    std::vector<Mistake> mistakes;
    Deck const deck = parse_deck(
        "schema = 1\n[[case]]\nspace = \"cuda\"\npattern = \"matmul\"\ntype = \"f32\"\nshape = \"256x512x64\"\n" + keys,
        "test.toml", mistakes);
    return make_plan(deck, catalogue(), {{"cuda"}, "cuda"}, "", mistakes).cases.at(0).intensity().value();
  };
  double const m = 256, n = 512, k = 64, a = m * k, b = k * n, c = m * n, flops = 2 * m * n * k;
  EXPECT_DOUBLE_EQ(intensity("variant = \"simple\"\n").ideal, flops / (4 * (a + b + c)));
  EXPECT_DOUBLE_EQ(*intensity("variant = \"simple\"\n").requested, flops / (4 * (n * a + m * b + c)));
  EXPECT_DOUBLE_EQ(*intensity("variant = \"coalesced\"\ntile = 16\n").requested,
                   flops / (4 * (n / 16 * a + m * b + c)));
  EXPECT_DOUBLE_EQ(*intensity("variant = \"native_shared\"\ntile = 16\n").requested,
                   flops / (4 * (n / 16 * a + m / 16 * b + c)));
  EXPECT_DOUBLE_EQ(*intensity("variant = \"blocked\"\nblock = \"128x64x16\"\n").requested,
                   flops / (4 * (n / 64 * a + m / 128 * b + c)));
  EXPECT_FALSE(intensity("variant = \"blocked\"\nblock = \"auto\"\n").requested.has_value());
  EXPECT_FALSE(intensity("variant = \"vendor\"\n").requested.has_value());
}

}  // namespace
}  // namespace tilestride
