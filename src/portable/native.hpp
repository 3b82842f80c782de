// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The interface to raw CUDA and libraries. It is typed, and the linker chooses the implementation. A pattern with such
// variants declares in its native.hpp the arguments of a launcher, and one table of launchers:
//
//   struct Launchers {
//     Launcher<Arguments> tiled = nullptr, padded = nullptr, vendor = nullptr;
//     static Launchers on_device();  // src/cuda/, or src/absent/native.cpp
//     static Launchers on_host();    // src/openblas/, or src/absent/host_library.cpp
//   };
//
// A row of the pattern's table names a member; CMake chooses the file that fills the table. No vendor types and no
// Kokkos here.

#include <functional>
#include <string>
#include <string_view>

#include "model/trial.hpp"

namespace tilestride {

/// What a launcher needs besides the pattern's arguments. `exec` points to the Kokkos instance, whose stream or threads
/// it must use.
struct NativeContext {
  void const* exec = nullptr;
  Type type = Type::f32;
  int threads = 1;  ///< of a host space
};

/// A kernel ready to launch, or the reason why there is none for these arguments. Notes are facts such as a library's
/// version.
struct NativeKernel {
  std::optional<Skip> skip{};
  std::function<void()> run{};
  std::map<std::string, std::string> notes{};
  std::function<Quantities()> measure{};  ///< as Trial::measure
  bool through_scratch = false;           ///< its data pass through scratch, which it marks when it is asked to
  std::function<Check()> verify{};        ///< instead of the problem's, where its result is another
};

/// No kernel, and the reason.
inline NativeKernel no_kernel(SkipReason reason, std::string words) { return {Skip{reason, std::move(words)}}; }

/// Arguments is the struct of the pattern's own native.hpp.
template <class Arguments>
using Launcher = NativeKernel (*)(NativeContext const&, Arguments const&);

inline Trial not_built_in(Case const& c) {
  return skipped(SkipReason::not_built,
                 c.pattern->name + "/" + c.variant->name + " is not built into this program for space " + c.space);
}

/// The class that a pointer to a member belongs to.
template <class Member>
struct MemberOf;
template <class Table, class T>
struct MemberOf<T Table::*> {
  using Class = Table;
};

/// A variant that is not one kernel on the problem's buffers but a whole trial: transfers, streams, device settings.
/// The member of the pattern's table is a Prepare.
template <auto Member>
Trial prepare_whole(Bench& bench, Case const& c) {
  Prepare const prepare = MemberOf<decltype(Member)>::Class::on_device().*Member;
  return prepare == nullptr ? not_built_in(c) : prepare(bench, c);
}

/// The vendor's interface for the device of a space. A member is null where it is not available.
struct DeviceInterface {
  Clock (*clock)(void const* exec) = nullptr;  ///< events on the instance's own stream
  void (*describe)(Device& device) = nullptr;  ///< adds facts to those from Kokkos
  DeviceState (*state)() = nullptr;            ///< clocks, temperature, power, throttling, at this moment
  double (*energy)() = nullptr;                ///< joules so far; throws where the device has no counter
  std::string (*unavailable)() = nullptr;      ///< why no device can be used; empty when one can
  void (*profiler)(bool on) = nullptr;         ///< for `ncu --profile-from-start off`
  /// The kernels that `run` launches on the instance: they are recorded and do not run. Empty if they cannot be
  /// recorded. What `run` launches elsewhere does run.
  std::vector<KernelUse> (*kernels)(void const* exec, std::function<void()> const& run) = nullptr;
};

/// Of the space of that name: src/cuda/, or src/absent/native.cpp, which has none.
DeviceInterface device_interface(std::string_view space);

}  // namespace tilestride
