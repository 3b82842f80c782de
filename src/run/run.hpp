// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "run/commands.hpp"

namespace tilestride {

struct RunOptions {
  DeckOptions input;
  std::string output;  ///< folder; empty: a new one below results/
  bool resume = false;
  bool dry_run = false;
  bool dump_deck = false;
  bool redact = false;
  bool quiet = false;                     ///< print what the log of a script needs
  bool verbose = false;                   ///< print the cases that were skipped, too, and the FOM lines on a terminal
  std::string machine;                    ///< result document of a memory card, which models need; empty: none
  int ranks = 0;                          ///< processes that measure together; 0: one worker at a time
  std::string launcher = "mpirun -n {}";  ///< a line of a shell that starts them; {} is their number
  std::string baseline;                   ///< of earlier runs, for the screen of slow ranks; empty: none
  std::string profile;                    ///< the case to launch once, or a part of several names; empty: run them all
  std::vector<std::string> kokkos;        ///< --kokkos-* flags
  std::vector<std::string> arguments;     ///< the whole command line, for --profile in another program
};

/// `tilestride gather DIR`: the result document of a run with ranks whose front has ended before it wrote one, from the
/// journals of its ranks. Returns the exit code.
int gather(RunOptions const& options);

/// `tilestride run`: plan, measure, report, judge, conclude. Returns the exit code.
int run(RunOptions const& options);

}  // namespace tilestride
