// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plan/plan.hpp"

namespace tilestride {

/// What every command that takes a deck takes with it.
struct DeckOptions {
  std::string deck;
  std::vector<std::string> set;  ///< KEY=VALUE
  std::string only;
};

struct RunOptions {
  DeckOptions input;
  std::string output;  ///< folder; empty: a new one below results/
  bool resume = false;
  bool dry_run = false;
  bool dump_deck = false;
  bool redact = false;
  std::string profile;  ///< part of the names of the cases to launch once each; empty: run them all
  std::vector<std::string> kokkos;
};

struct WorkerArguments {
  DeckOptions input;
  int output = -1;
  int beacon = -1;
  double until = 0;
  std::vector<std::string> kokkos;
};

// Exit codes, as --help says them.
constexpr int exit_pass = 0, exit_failed = 1, exit_usage = 2, exit_expectation = 3, exit_all_skipped = 77;

/// The five steps: read, plan, run, report, judge.
int run(RunOptions const& options);

/// Reads and plans. When the deck has mistakes they are printed to stderr, and nothing is returned.
std::optional<Plan> read_and_plan(DeckOptions const& options);

int check(DeckOptions const& options);
int list(std::string const& pattern);
int info();
int worker(WorkerArguments const& arguments);

/// The facts of this machine, this build and its environment, as `info` prints them and a result document keeps them.
std::vector<std::pair<std::string, std::string>> machine_facts();

}  // namespace tilestride
