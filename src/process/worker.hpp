// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "model/pattern.hpp"

namespace tilestride {

/// The process that starts Kokkos and does the work. It reads commands from standard input and writes messages to
/// standard output (process/messages.hpp); whatever else is printed there goes to standard error. Kokkos is started
/// when a command first needs it. `kokkos`: --kokkos-* flags. Returns the exit status: 0 done, or `worker_tainted` when
/// a case threw an exception during measurement, so that a new process should run the rest.
int run_worker(Catalogue const& catalogue, std::vector<std::string> const& kokkos);

constexpr int worker_tainted = 70;

}  // namespace tilestride
