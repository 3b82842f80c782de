// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace tilestride {

/// Why a case cannot be measured, as a program reads it.
enum class SkipReason {
  not_built,       ///< this program was built without it: a space, a library, an architecture
  no_device,       ///< no device answers, or the program for the space cannot be started
  one_device,      ///< it needs more devices than there are
  hardware,        ///< the device does not have what it needs
  limit,           ///< beyond a limit of the device or of the kernel: scratch, threads, registers, teams
  not_in_kokkos,   ///< Kokkos offers no such operation
  not_in_library,  ///< the library offers no such operation
  no_meaning,      ///< the idea has no meaning on this space
  not_applicable,  ///< this variant does not solve this problem: another type, another shape
};

/// "not_built", "no_device", …: as in a result document.
std::string_view name_of(SkipReason reason);

struct Skip {
  SkipReason reason;
  std::string words;  ///< text: what is missing and what would help
};

}  // namespace tilestride
