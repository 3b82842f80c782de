// SPDX-License-Identifier: BSD-3-Clause
#include "portable/bench.hpp"

#include <algorithm>
#include <sstream>

#include "machine/build_info.hpp"
#include "machine/host.hpp"
#include "machine/host_energy.hpp"
#include "portable/native.hpp"
#include "portable/spaces.hpp"
#include "portable/traits.hpp"
#include "portable/values.hpp"
#include "portable/wall_clock.hpp"
#include "portable/yardsticks.hpp"

namespace tilestride {
namespace {

Device host_device() {
  HostFacts const host = host_facts();
  Device device;
  device.name = host.cpu;
  device.memory = host.memory;
  device.free_memory = free_host_memory();
  device.last_cache = host.last_cache;
  return device;
}

/// Device facts from Kokkos, and from the vendor's interface where there is one.
template <class Exec>
Device device_of() {
  Device device;
  device.name = Exec::name();
  if constexpr (!is_host<Exec>) {
    device.team_scratch = static_cast<double>(Kokkos::TeamPolicy<Exec>::scratch_size_max(0));
    device.hardware.warp = static_cast<int>(Kokkos::TeamPolicy<Exec>::vector_length_max());
    if constexpr (Traits<Exec>::threads > 0)
      device.hardware.multiprocessors = Exec().concurrency() / Traits<Exec>::threads;
  }
  if (auto* const describe = device_interface(space_name<Exec>()).describe) describe(device);
  return device;
}

template <class Exec>
Bench open(Exec const& exec) {
  Bench bench;
  bench.exec = std::make_shared<Exec>(exec);
  bench.clock = wall_clock(exec);
  if (is_host<Exec>) {
    bench.device = host_device();
    bench.device.hardware.threads = exec.concurrency();
    bench.energy = host_energy_counter(bench.why_no_energy);
    // Two loads and a store of 64 bytes per clock, at 6 GHz: more than any core of today.
    bench.device.cache_bandwidth = exec.concurrency() * 3 * 64 * 6e9;
  } else {
    DeviceInterface const own = device_interface(space_name<Exec>());
    if (own.clock != nullptr) bench.clock = own.clock(&exec);
    bench.state = own.state;
    if (own.energy != nullptr) bench.energy = own.energy;
    if (own.energy == nullptr) bench.why_no_energy = "the energy counter of this device is not available here";
    bench.profiler = own.profiler;
    if (own.kernels != nullptr)
      bench.kernels = [own, kept = bench.exec](auto const& run) { return own.kernels(kept.get(), run); };
    bench.device = device_of<Exec>();
  }
  // Writes twice the size of the last-level cache, so that no data of a case stay in it.
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

std::string why_no_device() {
  for (std::string const& space : build_spaces().spaces) {
    auto* const why = device_interface(space).unavailable;
    if (why == nullptr) continue;
    if (std::string const reason = why(); !reason.empty()) return reason;
  }
  return "";
}

std::vector<std::string> with_device(std::vector<std::string> flags, int local_rank) {
  int const devices = Kokkos::num_devices();
  bool const is_named = std::any_of(flags.begin(), flags.end(), [](std::string const& flag) {
    return flag.rfind("--kokkos-device-id", 0) == 0 || flag.rfind("--kokkos-map-device-id-by", 0) == 0;
  });
  if (devices > 0 && !is_named) flags.push_back("--kokkos-device-id=" + std::to_string(local_rank % devices));
  return flags;
}

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
    if (is_host_space(space)) continue;
    Device const device = with_space(space, [](auto tag) { return device_of<typename decltype(tag)::type>(); });
    facts[space + ": device"] = device.name;
    for (auto const& [name, value] : device.facts) facts[space + ": " + name] = value;
  }
  return facts;
}

}  // namespace tilestride
