// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "process/messages.hpp"
#include "process/supervisor.hpp"

namespace tilestride {

/// Runs the assignment on ranks that supervision.ranks says how to start. What a rank has finished stands in its
/// journal; a case has its result when all ranks have one. When a rank dies or hangs, its case is an error that names
/// it, all ranks end, and new ones are started for the rest. `until`: monotonic_now() after which no case begins; 0: no
/// limit. Returns why nothing can be measured; empty when it could.
std::string run_on_ranks(Plan const& plan, CaseIndex const& index, Assignment const& assignment,
                         Supervision const& supervision, double until);

/// The facts of a rank from its messages "rank" and "machine".
void add_facts(RankFacts& facts, Json const& message);

}  // namespace tilestride
