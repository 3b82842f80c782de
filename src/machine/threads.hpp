// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace tilestride {

/// Why Kokkos must not be started: its OpenMP would get more threads than it has room for, and would corrupt the heap.
/// Empty when it may be started. `kokkos_flags`: --kokkos-* flags.
std::string why_too_many_threads(std::vector<std::string> const& kokkos_flags);

}  // namespace tilestride
