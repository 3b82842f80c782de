// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <map>
#include <string>

#include "process/supervisor.hpp"

namespace tilestride {

/// One of two programs that are measured in turns.
struct Contender {
  Program const* program = nullptr;
  Supervision supervision;
};

/// The results of both programs, by index into the plan. A case that one of them could not finish is an error there.
using PairedResults = std::array<std::map<std::size_t, Result>, 2>;

/// Measures all cases of the plan with one worker of each program, in alternation: one runs while the other waits,
/// sample by sample, so that whatever disturbs the machine meets both. The k-th samples of a case in both results were
/// taken one after the other. The order within a pair changes from pair to pair, and so does the order of cases with
/// the seed. A worker that dies or hangs is replaced for the next problem. Throws std::runtime_error when a program
/// cannot be used at all. A SignalScope must exist; after a signal the results so far are returned.
PairedResults measure_in_turns(Plan const& plan, std::array<Contender, 2> const& contenders, long rounds,
                               std::int64_t seed);

}  // namespace tilestride
