// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <functional>
#include <string>

namespace tilestride {

/// Joules that all CPU packages and their memory have used, from the counters of Linux' powercap (RAPL: Intel Software
/// Developer's Manual, volume 3B, 15.10; AMD has the same). Empty where there are none, or they cannot be read, which
/// most systems allow root alone; `reason` then says why. `root`: of the file system.
std::function<double()> host_energy_counter(std::string& reason, std::filesystem::path const& root = "/");

}  // namespace tilestride
