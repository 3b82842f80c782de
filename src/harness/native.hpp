// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The seam to what Kokkos has no word for. Portable code asks for a function by name; CMake decides which file answers:
// src/cuda/ and src/openblas/ when they are built in, src/absent/ otherwise. No type of any vendor passes through here.

#include <functional>
#include <string>
#include <string_view>

#include "harness/trial.hpp"

namespace tilestride {

using AnyFunction = void (*)();

/// What the own interface of a device's space offers: "clock" (MakeClock), "device" (DescribeDevice), "state"
/// (DescribeState), "unavailable" (WhyUnavailable), "profiler" (SwitchProfiler), "kernels" (DescribeKernels), and
/// "PATTERN/VARIANT" (NativeLauncher or MakeTrial, as the pattern has it). Null when there is none.
AnyFunction find_native(std::string_view space, std::string_view name);

/// What a library offers to the host spaces: "PATTERN/VARIANT" (NativeLauncher).
AnyFunction find_host_library(std::string_view name);

/// The function behind a name, as the type that its name promises.
template <class Function>
Function* as(AnyFunction function) {
  return reinterpret_cast<Function*>(function);
}

using MakeClock = Clock(void const* exec);                   ///< events on the instance's own stream
using DescribeDevice = Device();                             ///< of the device that Kokkos uses
using DescribeState = std::map<std::string, std::string>();  ///< clocks, temperature, power, throttling, at this moment
using WhyUnavailable = std::string();                        ///< why no device can be used; empty when one can
using SwitchProfiler = void(bool on);                        ///< for `ncu --profile-from-start off`
/// The kernels that `run` launches on the instance, which records them instead of running them; empty where that cannot
/// be found out. What it launches elsewhere runs.
using DescribeKernels = std::vector<KernelUse>(void const* exec, std::function<void()> const& run);

/// Where a native or library kernel finds what it works on. `exec` points at the Kokkos instance, whose stream or
/// threads it must use.
struct NativeContext {
  void const* exec = nullptr;
  Case const* planned = nullptr;  ///< for the variant's own keys, while the launcher is made
  Type type = Type::f32;
  int threads = 1;  ///< of a host space
};

/// A launcher, or why there is none for these arguments; notes are facts such as a library's version.
struct NativeKernel {
  std::string skip;
  std::function<void()> run;
  std::map<std::string, std::string> notes;
  std::function<Quantities()> measure;  ///< as Trial::measure
};

/// No launcher, and why.
inline NativeKernel none(std::string reason) { return {std::move(reason), {}, {}, {}}; }

/// "PATTERN/VARIANT" of a pattern whose variants are prepared with prepare_whole.
using MakeTrial = Trial(Bench&, Case const&);

/// Arguments is the struct of the pattern's own native.hpp.
template <class Arguments>
using NativeLauncher = NativeKernel(NativeContext const&, Arguments const&);

}  // namespace tilestride
