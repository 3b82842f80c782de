// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "model/pattern.hpp"
#include "model/ranks.hpp"

namespace tilestride {

/// Where a worker's commands come from, and where its messages go (process/messages.hpp).
struct Channel {
  std::function<bool(std::string& line)> next_command;  ///< false: there are no more
  std::function<void(std::string const& line)> say;
};

/// The work of a process that starts Kokkos and measures: carries out commands until there are none. Kokkos is started
/// when a command first needs it. `kokkos`: --kokkos-* flags. `ranks`: where it is one of several that measure
/// together. Returns the exit status: 0 done, or `worker_tainted` when a case threw an exception during measurement, so
/// that a new process should run the rest.
int work(Catalogue const& catalogue, std::vector<std::string> const& kokkos, Channel const& channel,
         Ranks* ranks = nullptr);

/// Reserves standard output: what libraries print there goes to standard error. Returns the descriptor that writes to
/// it.
int reserve_standard_output();

/// A worker that reads commands from standard input and writes messages to standard output.
int run_worker(Catalogue const& catalogue, std::vector<std::string> const& kokkos);

constexpr int worker_tainted = 70;

}  // namespace tilestride
