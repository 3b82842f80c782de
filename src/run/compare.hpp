// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "run/commands.hpp"

namespace tilestride {

struct CompareOptions {
  std::vector<std::string> mine, theirs;  ///< result documents, or folders of runs
  std::optional<double> limit;            ///< ratio below which the gate fails; then every case must be compared
  double same_within = 1;                 ///< percent
  bool all = false;                       ///< list every case

  std::vector<std::string> interleave;  ///< the two programs to measure, mine first, and the deck
  DeckOptions input;                    ///< changes of the deck
  long pairs = 5;                       ///< of processes
  std::vector<std::string> kokkos;      ///< --kokkos-* flags
};

/// Compares runs, prints the summary and returns the exit code: exit_expectation when a case is certainly slower than
/// the limit or went wrong, unless there is only one run a side.
int compare(CompareOptions const& options);

/// Measures a deck with two programs in turns, sample by sample, and compares them like `compare`.
int interleave(CompareOptions const& options);

}  // namespace tilestride
