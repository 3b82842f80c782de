// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>

namespace tilestride::cuda {

// NVML is opened at the first use: it is part of the driver, not of the toolkit. The device is found by its PCI
// address, since NVML does not know CUDA_VISIBLE_DEVICES. Where NVML is missing the maps are empty.

/// "uuid", "driver", "power limit", "MIG", "pci address", and "NUMA node" where the host has several.
std::map<std::string, std::string> describe_with_nvml(int domain, int bus, int device);

/// "SM clock", "memory clock", "temperature", "power", "PCIe link" (it slows down when idle), "throttled by" at this
/// moment.
std::map<std::string, std::string> state_from_nvml(int domain, int bus, int device);

/// Joules that the device has used since the driver was loaded. Throws std::runtime_error where NVML has no such
/// counter.
double joules_from_nvml(int domain, int bus, int device);

/// B/s of all active NVLinks of the device together, one way; 0 where it has none or NVML cannot tell.
double nvlink_rate(int domain, int bus, int device);

}  // namespace tilestride::cuda
