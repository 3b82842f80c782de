// SPDX-License-Identifier: BSD-3-Clause
// A program with CUDA has every launcher that a pattern's table can name. Needs no GPU.
#include "portable/native.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <string>
#include <type_traits>

#include "patterns/aat/native.hpp"
#include "patterns/bandwidth/native.hpp"
#include "patterns/bank_stride/native.hpp"
#include "patterns/batch/native.hpp"
#include "patterns/carveout/native.hpp"
#include "patterns/catalogue.hpp"
#include "patterns/exchange/native.hpp"
#include "patterns/fences/native.hpp"
#include "patterns/global_transpose/native.hpp"
#include "patterns/l2_window/native.hpp"
#include "patterns/latency/native.hpp"
#include "patterns/launch/native.hpp"
#include "patterns/litmus/native.hpp"
#include "patterns/matmul/native.hpp"
#include "patterns/occupancy/native.hpp"
#include "patterns/offset_copy/native.hpp"
#include "patterns/overlap/native.hpp"
#include "patterns/peer/native.hpp"
#include "patterns/pointer_attributes/native.hpp"
#include "patterns/reduce/native.hpp"
#include "patterns/shuffle/native.hpp"
#include "patterns/staged_copy/native.hpp"
#include "patterns/stencil/native.hpp"
#include "patterns/stream/native.hpp"
#include "patterns/stride_copy/native.hpp"
#include "patterns/tile_access/native.hpp"
#include "patterns/transfer/native.hpp"
#include "patterns/transpose/native.hpp"
#include "patterns/zero_copy/native.hpp"

namespace tilestride {
namespace {

using Function = void (*)();

/// How many launchers a table has, and how many of them are null. A table is nothing but pointers to functions.
struct Count {
  std::size_t all = 0, absent = 0;

  template <class Table>
  explicit Count(Table const& table) : all(sizeof(Table) / sizeof(Function)) {
    static_assert(std::is_trivially_copyable_v<Table> && sizeof(Table) % sizeof(Function) == 0);
    std::array<Function, sizeof(Table) / sizeof(Function)> members{};
    std::memcpy(members.data(), &table, sizeof(Table));
    for (Function const member : members) absent += member == nullptr ? 1 : 0;
  }
};

TEST(Native, EveryTableOfLaunchersIsFull) {
  std::map<std::string, Count> const tables{
      {"aat", Count(aat::Launchers::on_device())},
      {"bandwidth", Count(bandwidth::Launchers::on_device())},
      {"bank_stride", Count(bank_stride::Launchers::on_device())},
      {"batch", Count(batch::Launchers::on_device())},
      {"carveout", Count(carveout::Launchers::on_device())},
      {"exchange", Count(exchange::Launchers::on_device())},
      {"fences", Count(fences::Launchers::on_device())},
      {"global_transpose", Count(global_transpose::Launchers::on_device())},
      {"l2_window", Count(l2_window::Launchers::on_device())},
      {"latency", Count(latency::Launchers::on_device())},
      {"launch", Count(launch::Launchers::on_device())},
      {"litmus", Count(litmus::Launchers::on_device())},
      {"matmul", Count(matmul::Launchers::on_device())},
      {"occupancy", Count(occupancy::Launchers::on_device())},
      {"offset_copy", Count(offset_copy::Launchers::on_device())},
      {"overlap", Count(overlap::Launchers::on_device())},
      {"peer", Count(peer::Launchers::on_device())},
      {"pointer_attributes", Count(pointer_attributes::Launchers::on_device())},
      {"reduce", Count(reduce::Launchers::on_device())},
      {"shuffle", Count(shuffle::Launchers::on_device())},
      {"staged_copy", Count(staged_copy::Launchers::on_device())},
      {"stencil", Count(stencil::Launchers::on_device())},
      {"stream", Count(stream::Launchers::on_device())},
      {"stride_copy", Count(stride_copy::Launchers::on_device())},
      {"tile_access", Count(tile_access::Launchers::on_device())},
      {"transfer", Count(transfer::Launchers::on_device())},
      {"transpose", Count(transpose::Launchers::on_device())},
      {"zero_copy", Count(zero_copy::Launchers::on_device())},
  };
  auto const is_raw = [](Variant const& v) { return v.role == Role::native || v.role == Role::hybrid; };
  for (Pattern const& pattern : catalogue()) {
    bool const has_raw = std::any_of(pattern.variants.begin(), pattern.variants.end(), is_raw);
    EXPECT_EQ(tables.count(pattern.name), has_raw ? 1u : 0u) << pattern.name;
  }
  for (auto const& [pattern, count] : tables) {
    EXPECT_GT(count.all, 0u) << pattern;
    EXPECT_EQ(count.absent, 0u) << pattern;
  }
}

TEST(Native, EveryRowIsPreparedAndEveryTwinIsWrittenInKokkos) {
  for (Pattern const& pattern : catalogue()) {
    for (Variant const& variant : pattern.variants) {
      SCOPED_TRACE(pattern.name + "/" + variant.name);
      EXPECT_NE(variant.prepare, nullptr);
      EXPECT_EQ(variant.role == Role::hybrid, !variant.parts.empty());
      if (variant.twin.empty()) continue;
      Variant const* const twin = pattern.find_variant(variant.twin);
      ASSERT_NE(twin, nullptr);
      EXPECT_NE(twin->role, Role::native);
    }
  }
}

TEST(Native, TheDeviceHasItsInterface) {
  DeviceInterface const cuda = device_interface("cuda");
  EXPECT_NE(cuda.clock, nullptr);
  EXPECT_NE(cuda.describe, nullptr);
  EXPECT_NE(cuda.state, nullptr);
  EXPECT_NE(cuda.unavailable, nullptr);
  EXPECT_NE(cuda.profiler, nullptr);
  EXPECT_NE(cuda.kernels, nullptr);
  EXPECT_EQ(device_interface("no_such_space").clock, nullptr);
}

}  // namespace
}  // namespace tilestride
