// SPDX-License-Identifier: BSD-3-Clause
// The CUDA device: its stream, its clock, its facts, its profiler.
#include <cuda_profiler_api.h>
#include <fmt/format.h>

#include <Kokkos_Core.hpp>
#include <algorithm>

#include "cuda/device.hpp"
#include "cuda/instance.hpp"
#include "cuda/nvml.hpp"
#include "cuda/owners.hpp"
#include "cuda/recording.hpp"
#include "model/units.hpp"
#include "portable/native.hpp"

namespace tilestride::cuda {
namespace {

/// FLOP per cycle and multiprocessor, matrix units included (f32 as three products of TF32), from the programming
/// guide's table of arithmetic throughput and the architectures' white papers. Zero for what is not listed: then no
/// figure is called impossible.
struct PeakPerCycle {
  int capability;
  double f32, f64;
};
constexpr PeakPerCycle peaks[] = {{70, 128, 64}, {75, 128, 4},   {80, 342, 128},  {86, 256, 4},
                                  {89, 256, 4},  {90, 683, 256}, {100, 1366, 128}};

/// What the driver makes of so many bytes of L2 to be set aside; 0 where it refuses (MIG, MPS).
double set_aside(double bytes) {
  cudaError_t const answer = cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, static_cast<std::size_t>(bytes));
  cudaGetLastError();  // a refusal is no error of ours
  std::size_t got = 0;
  if (answer == cudaSuccess) check(cudaDeviceGetLimit(&got, cudaLimitPersistingL2CacheSize), "cudaDeviceGetLimit");
  return static_cast<double>(got);
}

/// The driver tells the most that can be set aside, and not in which steps: it is asked for half, and then for a byte
/// more than it gave.
void describe_set_aside(Hardware& hardware, int id) {
  hardware.widest_window = attribute(id, cudaDevAttrMaxAccessPolicyWindowSize);
  hardware.most_set_aside = attribute(id, cudaDevAttrMaxPersistingL2CacheSize);
  if (hardware.most_set_aside == 0) return;
  std::size_t was = 0;
  check(cudaDeviceGetLimit(&was, cudaLimitPersistingL2CacheSize), "cudaDeviceGetLimit");
  double const half = set_aside(hardware.most_set_aside / 2);
  if (half > 0) hardware.set_aside_step = std::max(0.0, set_aside(half + 1) - half);
  set_aside(static_cast<double>(was));
}

char const* yes_or_no(int value) { return value != 0 ? "yes" : "no"; }

}  // namespace

cudaStream_t stream_of(void const* exec) { return static_cast<Kokkos::Cuda const*>(exec)->cuda_stream(); }
int device_of(void const* exec) { return static_cast<Kokkos::Cuda const*>(exec)->cuda_device(); }

Clock event_clock(void const* exec) {
  auto const instance = *static_cast<Kokkos::Cuda const*>(exec);
  auto events = std::make_shared<EventPair>();
  Clock clock{"events", [instance, events](std::function<void()> const& run, long repetitions) {
                cudaStream_t const stream = instance.cuda_stream();
                check(cudaStreamSynchronize(stream), "before a sample");
                auto const repeat = [&] {
                  for (long i = 0; i < repetitions; ++i) run();
                };
                return events->seconds_of(stream, "a sample", repeat) / static_cast<double>(repetitions);
              }};
  clock.asynchronous = true;
  clock.record = [instance](std::function<void()> const& run, long calls) {
    return replay_of(instance.cuda_stream(), run, calls);
  };
  return clock;
}

void describe_device(Device& device) {
  int const id = Kokkos::Cuda().cuda_device();
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, id), "cudaGetDeviceProperties");
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  double const sm_clock = 1e3 * attribute(id, cudaDevAttrClockRate);            // Hz
  double const memory_clock = 1e3 * attribute(id, cudaDevAttrMemoryClockRate);  // Hz; two transfers a cycle
  int const capability = 10 * properties.major + properties.minor;

  device.name = properties.name;
  device.memory = static_cast<double>(total);
  device.free_memory = static_cast<double>(free);
  device.last_cache = properties.l2CacheSize;
  device.peak_bandwidth = 2 * memory_clock * attribute(id, cudaDevAttrGlobalMemoryBusWidth) / 8;
  for (PeakPerCycle const& peak : peaks) {
    if (peak.capability != capability) continue;
    device.peak_f32 = peak.f32 * properties.multiProcessorCount * sm_clock;
    device.peak_f64 = peak.f64 * properties.multiProcessorCount * sm_clock;
  }
  device.clock = sm_clock;
  device.link = nvlink_rate(properties.pciDomainID, properties.pciBusID, properties.pciDeviceID);
  device.cache_bandwidth =
      2.0 * 128 * properties.multiProcessorCount * sm_clock;  // of L1, a load and a store per clock
  device.hardware.multiprocessors = properties.multiProcessorCount;
  device.hardware.warp = properties.warpSize;
  device.hardware.sector = 32;                        // since compute capability 6.0
  device.hardware.banks = capability >= 50 ? 32 : 0;  // of 4 bytes, with the rules of patterns/common/banks.hpp
  device.hardware.schedulers = 4;                     // since compute capability 5.0 (6.0: 2)
  device.hardware.registers = properties.regsPerMultiprocessor;
  device.hardware.resident_threads = properties.maxThreadsPerMultiProcessor;
  device.hardware.resident_teams = properties.maxBlocksPerMultiProcessor;
  device.hardware.scratch = static_cast<double>(properties.sharedMemPerMultiprocessor);
  describe_set_aside(device.hardware, id);
  device.team_scratch = static_cast<double>(Kokkos::TeamPolicy<Kokkos::Cuda>::scratch_size_max(0));
  device.largest_team = properties.maxThreadsPerBlock;

  int driver = 0, runtime = 0;
  cudaDriverGetVersion(&driver);
  cudaRuntimeGetVersion(&runtime);
  device.facts = describe_with_nvml(properties.pciDomainID, properties.pciBusID, properties.pciDeviceID);
  device.facts["compute capability"] = fmt::format("{}.{}", properties.major, properties.minor);
  device.facts["multiprocessors"] = std::to_string(properties.multiProcessorCount);
  device.facts["memory"] = short_bytes(device.memory);
  device.facts["L2 cache"] = short_bytes(device.last_cache);
  device.facts["SM clock"] = fmt::format("{:.0f} MHz", sm_clock / 1e6);
  device.facts["memory clock"] =
      fmt::format("{:.0f} MHz x {} bit", memory_clock / 1e6, attribute(id, cudaDevAttrGlobalMemoryBusWidth));
  device.facts["peak bandwidth"] = fmt::format("{:.0f} GB/s", device.peak_bandwidth / 1e9);
  device.facts["driver supports"] = fmt::format("CUDA {}.{}", driver / 1000, driver % 1000 / 10);
  device.facts["runtime"] = fmt::format("CUDA {}.{}", runtime / 1000, runtime % 1000 / 10);
  device.facts["copy engines"] = std::to_string(attribute(id, cudaDevAttrAsyncEngineCount));
  device.facts["maps host memory"] = yes_or_no(attribute(id, cudaDevAttrCanMapHostMemory));
  device.facts["integrated"] = yes_or_no(attribute(id, cudaDevAttrIntegrated));
  if (double const most = device.hardware.most_set_aside; most > 0) {
    double const step = device.hardware.set_aside_step;
    device.facts["L2 that can be set aside"] =
        short_bytes(most) + (step > 0 ? ", in steps of " + short_bytes(step) : "");
    device.facts["widest access-policy window"] = short_bytes(device.hardware.widest_window);
  }
  device.facts["ECC"] = properties.ECCEnabled != 0 ? "on" : "off";
}

/// Of the device that Kokkos uses.
cudaDeviceProp const& own_properties() {
  static cudaDeviceProp const properties = [] {
    cudaDeviceProp p{};
    check(cudaGetDeviceProperties(&p, Kokkos::Cuda().cuda_device()), "cudaGetDeviceProperties");
    return p;
  }();
  return properties;
}

DeviceState describe_state() {
  cudaDeviceProp const& own = own_properties();
  return state_from_nvml(own.pciDomainID, own.pciBusID, own.pciDeviceID);
}

double joules_so_far() {
  cudaDeviceProp const& own = own_properties();
  return joules_from_nvml(own.pciDomainID, own.pciBusID, own.pciDeviceID);
}

std::string why_unavailable() {
  int count = 0;
  cudaError_t const status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess)
    return fmt::format("this build needs a CUDA device, and there is none: {} (cudaGetDeviceCount)",
                       cudaGetErrorString(status));
  if (count == 0) return "this build needs a CUDA device, and the driver shows none";
  return "";
}

void switch_profiler(bool on) { check(on ? cudaProfilerStart() : cudaProfilerStop(), "cudaProfilerStart/Stop"); }

}  // namespace tilestride::cuda

namespace tilestride {

DeviceInterface device_interface(std::string_view space) {
  if (space != "cuda") return {};
  DeviceInterface own;
  own.clock = cuda::event_clock;
  own.describe = cuda::describe_device;
  own.state = cuda::describe_state;
  own.energy = cuda::joules_so_far;
  own.unavailable = cuda::why_unavailable;
  own.profiler = cuda::switch_profiler;
  own.kernels = cuda::describe_kernels;
  return own;
}

}  // namespace tilestride
