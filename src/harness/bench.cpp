// SPDX-License-Identifier: BSD-3-Clause
#include "harness/bench.hpp"

#include <chrono>
#include <sstream>

#include "harness/build_info.hpp"
#include "harness/machine.hpp"
#include "harness/native.hpp"
#include "harness/spaces.hpp"
#include "harness/values.hpp"
#include "harness/yardsticks.hpp"

namespace tilestride {
namespace {

/// The clock that every space has: the instance is idle before and after.
template <class Exec>
Clock steady_clock(Exec const& exec) {
  return {"steady_clock", [exec](std::function<void()> const& run, long repetitions) {
            exec.fence("tilestride::clock");
            auto const begin = std::chrono::steady_clock::now();
            for (long i = 0; i < repetitions; ++i) run();
            exec.fence("tilestride::clock");
            return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() /
                   static_cast<double>(repetitions);
          }};
}

Device host_device() {
  HostFacts const host = host_facts();
  Device device;
  device.name = host.cpu;
  device.memory = host.memory;
  device.free_memory = free_host_memory();
  device.last_cache = host.last_cache;
  return device;
}

template <class Exec>
Bench open(Exec const& exec) {
  Bench bench;
  bench.exec = std::make_shared<Exec>(exec);
  bench.clock = steady_clock(exec);
  if (is_host<Exec>) {
    bench.device = host_device();
  } else {
    std::string const space = space_name<Exec>();
    if (auto* const make = as<MakeClock>(find_native(space, "clock"))) bench.clock = make(&exec);
    if (auto* const describe = as<DescribeDevice>(find_native(space, "device"))) bench.device = describe();
  }
  // Twice the last cache, written: nothing that a case has used is left in it.
  auto const bytes = static_cast<std::int64_t>(bench.device.last_cache > 0 ? 2 * bench.device.last_cache : 256 << 20);
  auto sweep = std::make_shared<Kokkos::View<double*, Exec>>();
  bench.flush_caches = [exec, sweep, n = bytes / 8] {
    if (sweep->extent(0) == 0)
      *sweep = Kokkos::View<double*, Exec>(Kokkos::view_alloc(exec, "tilestride::flush"), static_cast<std::size_t>(n));
    fill(exec, sweep->data(), n, Constant<double>{1.0});
    exec.fence("tilestride::flush");
  };
  return bench;
}

}  // namespace

KokkosScope::KokkosScope(std::vector<std::string> flags) {
  std::vector<char*> arguments{const_cast<char*>("tilestride")};
  for (std::string& flag : flags) arguments.push_back(flag.data());
  int count = static_cast<int>(arguments.size());
  arguments.push_back(nullptr);
  Kokkos::initialize(count, arguments.data());
}

KokkosScope::~KokkosScope() { Kokkos::finalize(); }

void KokkosScope::fence(std::string const& label) const { Kokkos::fence(label); }

void device_copy(Kokkos::DefaultExecutionSpace const& exec, void* to, void const* from, std::int64_t bytes) {
  using Memory = Kokkos::DefaultExecutionSpace::memory_space;
  auto const n = static_cast<std::size_t>(bytes);
  Kokkos::deep_copy(exec, Kokkos::View<char*, Memory, Kokkos::MemoryUnmanaged>(static_cast<char*>(to), n),
                    Kokkos::View<char const*, Memory, Kokkos::MemoryUnmanaged>(static_cast<char const*>(from), n));
}

Bench open_bench(std::string const& space) {
  return with_space(space, [](auto tag) { return open(typename decltype(tag)::type{}); });
}

std::map<std::string, std::string> describe_spaces() {
  std::map<std::string, std::string> facts;
  std::ostringstream configuration;
  Kokkos::print_configuration(configuration);
  facts["Kokkos configuration"] = configuration.str();
  for (std::string const& space : build_spaces().spaces) {
    with_space(space, [&](auto tag) {
      facts[space + ": concurrency"] = std::to_string(typename decltype(tag)::type{}.concurrency());
      return 0;
    });
    auto* const describe = as<DescribeDevice>(find_native(space, "device"));
    if (describe == nullptr) continue;
    Device const device = describe();
    facts[space + ": device"] = device.name;
    for (auto const& [name, value] : device.facts) facts[space + ": " + name] = value;
  }
  return facts;
}

}  // namespace tilestride
