// SPDX-License-Identifier: BSD-3-Clause
#include "cuda/nvml.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <stdexcept>

#include "machine/numa.hpp"

namespace tilestride::cuda {
namespace {

// The part of NVML's interface that is used, as its reference manual has it: nvml.h is a package of its own, often
// missing.
using Status = int;  // 0: success
using Handle = struct NvmlDevice*;
using Init = Status();
using ByAddress = Status(char const*, Handle*);
using GetText = Status(Handle, char*, unsigned);
using GetSystemText = Status(char*, unsigned);
using GetNumber = Status(Handle, unsigned*);
using GetTwoNumbers = Status(Handle, unsigned*, unsigned*);
using GetOneOf = Status(Handle, int, unsigned*);
using GetBits = Status(Handle, unsigned long long*);
struct FieldValue {
  unsigned field, scope;
  long long timestamp, latency;
  int type;  // number_type: the value is an unsigned
  Status status;
  union {
    unsigned number;
    unsigned long long wide;
  } value;
};
using GetFields = Status(Handle, int, FieldValue*);
constexpr unsigned nvlink_speed = 164;        // NVML_FI_DEV_NVLINK_GET_SPEED: MB/s of the link that is the scope
constexpr unsigned common_nvlink_speed = 90;  // NVML_FI_DEV_NVLINK_SPEED_MBPS_COMMON: of each active link
constexpr int number_type = 1, most_links = 36;
constexpr int clock_sm = 1, clock_memory = 2, temperature_gpu = 0;

/// The functions that are used, or null ones.
class Nvml {
 public:
  Nvml() : library_(dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL)) {
    auto const init = find<Init>("nvmlInit_v2");
    works_ = init != nullptr && init() == 0;
  }
  // Never shut down: it lives as long as the process, and so may whoever asks it last.

  Handle device(int domain, int bus, int device) const {
    Handle handle = nullptr;
    auto const by_address = works_ ? find<ByAddress>("nvmlDeviceGetHandleByPciBusId_v2") : nullptr;
    std::string const address = fmt::format("{:08x}:{:02x}:{:02x}.0", domain, bus, device);
    if (by_address == nullptr || by_address(address.c_str(), &handle) != 0) return nullptr;
    return handle;
  }

  template <class Function>
  Function* find(char const* name) const {
    return library_ == nullptr ? nullptr : reinterpret_cast<Function*>(dlsym(library_, name));
  }

 private:
  void* library_;
  bool works_ = false;
};

Nvml const& nvml() {
  static Nvml const library;
  return library;
}

/// Calls function(device, arguments…) and then writes; does nothing where the function is missing or fails.
template <class Function, class Write, class... Arguments>
void ask(char const* name, Write const& write, Arguments... arguments) {
  auto const function = nvml().find<Function>(name);
  if (function != nullptr && function(arguments...) == 0) write();
}

std::string throttle_reasons(unsigned long long reasons) {
  struct Reason {
    unsigned long long bit;
    char const* name;
  };
  constexpr Reason known[] = {
      {0x04, "power cap"},        {0x08, "hardware slowdown"}, {0x20, "software thermal"},
      {0x40, "hardware thermal"}, {0x80, "power brake"},
  };
  std::string text;
  for (Reason const& reason : known) {
    if ((reasons & reason.bit) != 0) text += (text.empty() ? "" : ", ") + std::string(reason.name);
  }
  return text.empty() ? "nothing" : text;
}

/// A field of the device, or 0.
double field_of(Handle handle, unsigned field, unsigned scope) {
  FieldValue value{};
  value.field = field;
  value.scope = scope;
  double found = 0;
  ask<GetFields>(
      "nvmlDeviceGetFieldValues",
      [&] {
        if (value.status != 0) return;
        found = value.type == number_type ? value.value.number : static_cast<double>(value.value.wide);
      },
      handle, 1, &value);
  return found;
}

}  // namespace

std::map<std::string, std::string> describe_with_nvml(int domain, int bus, int device) {
  std::map<std::string, std::string> facts;
  Handle const handle = nvml().device(domain, bus, device);
  if (handle == nullptr) return facts;
  char text[96] = {};
  ask<GetText>(
      "nvmlDeviceGetUUID", [&] { facts["uuid"] = text; }, handle, text, unsigned(sizeof text));
  ask<GetSystemText>(
      "nvmlSystemGetDriverVersion", [&] { facts["driver"] = text; }, text, unsigned(sizeof text));
  unsigned limit = 0, mig = 0, pending = 0;
  ask<GetNumber>(
      "nvmlDeviceGetEnforcedPowerLimit", [&] { facts["power limit"] = fmt::format("{} W", limit / 1000); }, handle,
      &limit);
  ask<GetTwoNumbers>(
      "nvmlDeviceGetMigMode", [&] { facts["MIG"] = mig != 0 ? "on" : "off"; }, handle, &mig, &pending);
  facts["pci address"] = fmt::format("{:04x}:{:02x}:{:02x}", domain, bus, device);
  if (int const node = numa_node_of_pci(facts["pci address"] + ".0"); node >= 0)
    facts["NUMA node"] = std::to_string(node);
  return facts;
}

std::map<std::string, std::string> state_from_nvml(int domain, int bus, int device) {
  std::map<std::string, std::string> state;
  Handle const handle = nvml().device(domain, bus, device);
  if (handle == nullptr) return state;
  unsigned value = 0;
  ask<GetOneOf>(
      "nvmlDeviceGetClockInfo", [&] { state["SM clock"] = fmt::format("{} MHz", value); }, handle, clock_sm, &value);
  ask<GetOneOf>(
      "nvmlDeviceGetClockInfo", [&] { state["memory clock"] = fmt::format("{} MHz", value); }, handle, clock_memory,
      &value);
  ask<GetOneOf>(
      "nvmlDeviceGetTemperature", [&] { state["temperature"] = fmt::format("{} C", value); }, handle, temperature_gpu,
      &value);
  ask<GetNumber>(
      "nvmlDeviceGetPowerUsage", [&] { state["power"] = fmt::format("{:.0f} W", value / 1e3); }, handle, &value);
  unsigned generation = 0;
  ask<GetNumber>(
      "nvmlDeviceGetCurrPcieLinkGeneration", [] {}, handle, &generation);
  ask<GetNumber>(
      "nvmlDeviceGetCurrPcieLinkWidth", [&] { state["PCIe link"] = fmt::format("gen {} x{}", generation, value); },
      handle, &value);
  unsigned long long reasons = 0;
  ask<GetBits>(
      "nvmlDeviceGetCurrentClocksThrottleReasons", [&] { state["throttled by"] = throttle_reasons(reasons); }, handle,
      &reasons);
  return state;
}

double joules_from_nvml(int domain, int bus, int device) {
  Handle const handle = nvml().device(domain, bus, device);
  unsigned long long millijoules = 0;
  bool known = false;
  if (handle != nullptr)
    ask<GetBits>(
        "nvmlDeviceGetTotalEnergyConsumption", [&] { known = true; }, handle, &millijoules);
  if (!known) throw std::runtime_error("NVML has no energy counter of this device");
  return static_cast<double>(millijoules) * 1e-3;
}

double nvlink_rate(int domain, int bus, int device) {
  Handle const handle = nvml().device(domain, bus, device);
  if (handle == nullptr) return 0;
  double rate = 0;
  for (unsigned link = 0; link < most_links; ++link) {
    unsigned active = 0;
    ask<GetOneOf>(
        "nvmlDeviceGetNvLinkState", [] {}, handle, int(link), &active);
    if (active == 0) continue;
    double const own = field_of(handle, nvlink_speed, link);
    rate += 1e6 * (own > 0 ? own : field_of(handle, common_nvlink_speed, 0));
  }
  return rate;
}

}  // namespace tilestride::cuda
