// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "run/compare.hpp"
#include "run/run.hpp"

namespace tilestride {

/// The parsed command line.
struct Command {
  enum class Name { run, check, check_result, list, info, compare, gather, worker, rank };
  Name name = Name::info;
  RunOptions run;
  DeckOptions check;
  CompareOptions compare;
  std::string pattern;              ///< of list; empty: all
  bool json = false;                ///< of list
  std::string document;             ///< of check-result
  std::string launch;               ///< of rank
  std::vector<std::string> kokkos;  ///< --kokkos-* flags, of worker and rank
};

/// Parses the command line. Help, the version and mistakes are printed; `exit_code` is then set and nothing is
/// returned.
std::optional<Command> parse_command_line(int argc, char** argv, int& exit_code);

}  // namespace tilestride
