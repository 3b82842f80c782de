// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "model/pattern.hpp"

namespace tilestride {

/// The process that a launcher starts for each rank. It starts another that joins the ranks, measures, and writes what
/// it does to the journal of its rank in `folder`; commands come to rank 0 on standard input. The first one only waits,
/// and writes how the second one ended, whatever ended it: {"kind": "ended", "launch": …, "status": … of waitpid(2),
/// "at": seconds since the epoch}. `launch`: what the ranks that start together have in common. Returns the exit status
/// of the second, or 128 and its signal.
int run_rank(Catalogue const& catalogue, std::string const& folder, std::string const& launch,
             std::vector<std::string> const& kokkos);

/// In the environment of a process that a launcher has started as one of several: how to start the ranks of a run
/// instead; empty elsewhere.
std::string why_under_launcher();

}  // namespace tilestride
