// SPDX-License-Identifier: BSD-3-Clause
// The HIP device: its clock and its facts.
#include <fmt/format.h>
#include <hip/hip_runtime.h>

#include <Kokkos_Core.hpp>
#include <memory>
#include <stdexcept>
#include <string>

#include "model/units.hpp"
#include "portable/backends/hip.hpp"
#include "portable/native.hpp"

namespace tilestride::hip {
namespace {

/// Throws what the runtime says when a call of it did not succeed.
void check(hipError_t status, char const* call) {
  if (status != hipSuccess) throw std::runtime_error(std::string(call) + ": " + hipGetErrorString(status));
}

class Event {
 public:
  Event() { check(hipEventCreate(&event_), "hipEventCreate"); }
  ~Event() { static_cast<void>(hipEventDestroy(event_)); }
  Event(Event const&) = delete;
  Event& operator=(Event const&) = delete;
  hipEvent_t get() const { return event_; }

 private:
  hipEvent_t event_{};
};

struct EventPair {
  Event begin, end;
};

/// Events on the stream of `exec`, a Kokkos::HIP.
Clock event_clock(void const* exec) {
  auto const instance = *static_cast<Kokkos::HIP const*>(exec);
  auto events = std::make_shared<EventPair>();
  Clock clock{"events", [instance, events](std::function<void()> const& run, long repetitions) {
                hipStream_t const stream = instance.hip_stream();
                check(hipStreamSynchronize(stream), "before a sample");
                check(hipEventRecord(events->begin.get(), stream), "hipEventRecord");
                for (long i = 0; i < repetitions; ++i) run();
                check(hipEventRecord(events->end.get(), stream), "hipEventRecord");
                check(hipEventSynchronize(events->end.get()), "a sample");
                float milliseconds = 0;
                check(hipEventElapsedTime(&milliseconds, events->begin.get(), events->end.get()),
                      "hipEventElapsedTime");
                return 1e-3 * static_cast<double>(milliseconds) / static_cast<double>(repetitions);
              }};
  clock.asynchronous = true;
  return clock;
}

/// "5.2.21153": the runtime has one number for the three.
std::string version(int number) {
  return fmt::format("HIP {}.{}.{}", number / 10'000'000, number / 100'000 % 100, number % 100'000);
}

/// No peak bandwidth: words per cycle of the memory clock differ between kinds of memory, and HIP does not say which
/// kind it is. No sectors and no banks either: their rules have not been measured.
void describe_device(Device& device) {
  hipDeviceProp_t properties{};
  check(hipGetDeviceProperties(&properties, Kokkos::HIP().hip_device()), "hipGetDeviceProperties");
  std::size_t free = 0, total = 0;
  check(hipMemGetInfo(&free, &total), "hipMemGetInfo");

  device.name = properties.name;
  device.memory = static_cast<double>(total);
  device.free_memory = static_cast<double>(free);
  device.last_cache = properties.l2CacheSize;
  device.clock = 1e3 * properties.clockRate;
  device.hardware.multiprocessors = properties.multiProcessorCount;
  device.hardware.warp = properties.warpSize;
  device.hardware.schedulers = Traits<Kokkos::HIP>::schedulers;
  device.hardware.registers = Traits<Kokkos::HIP>::registers;
  device.hardware.resident_threads = properties.maxThreadsPerMultiProcessor;
  device.hardware.scratch = static_cast<double>(properties.maxSharedMemoryPerMultiProcessor);
  device.largest_team = properties.maxThreadsPerBlock;

  int driver = 0, runtime = 0;
  static_cast<void>(hipDriverGetVersion(&driver));
  static_cast<void>(hipRuntimeGetVersion(&runtime));
  device.facts["architecture"] = properties.gcnArchName;
  device.facts["compute units"] = std::to_string(properties.multiProcessorCount);
  device.facts["wavefront"] = std::to_string(properties.warpSize);
  device.facts["memory"] = short_bytes(device.memory);
  device.facts["L2 cache"] = short_bytes(device.last_cache);
  device.facts["LDS per compute unit"] = short_bytes(device.hardware.scratch);
  device.facts["clock"] = fmt::format("{:.0f} MHz", device.clock / 1e6);
  device.facts["memory clock"] =
      fmt::format("{:.0f} MHz x {} bit", 1e-3 * properties.memoryClockRate, properties.memoryBusWidth);
  device.facts["driver"] = version(driver);
  device.facts["runtime"] = version(runtime);
  device.facts["ECC"] = properties.ECCEnabled != 0 ? "on" : "off";
}

std::string why_unavailable() {
  int count = 0;
  hipError_t const status = hipGetDeviceCount(&count);
  if (status != hipSuccess)
    return fmt::format("this build needs a HIP device, and there is none: {} (hipGetDeviceCount)",
                       hipGetErrorString(status));
  if (count == 0) return "this build needs a HIP device, and the driver shows none";
  return "";
}

}  // namespace
}  // namespace tilestride::hip

namespace tilestride {

DeviceInterface device_interface(std::string_view space) {
  if (space != "hip") return {};
  DeviceInterface own;
  own.clock = hip::event_clock;
  own.describe = hip::describe_device;
  own.unavailable = hip::why_unavailable;
  return own;
}

}  // namespace tilestride
