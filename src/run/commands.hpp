// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plan/plan.hpp"
#include "process/programs.hpp"

namespace tilestride {

// Exit codes, as --help says them.
constexpr int exit_pass = 0, exit_failed = 1, exit_usage = 2, exit_expectation = 3, exit_all_skipped = 77;

/// Prints "tilestride: TEXT" to stderr, on one line.
void complain(std::string_view text);

/// The options of every command that reads a deck.
struct DeckOptions {
  std::string deck;
  std::vector<std::string> set;  ///< KEY=VALUE
  std::string only;
};

/// Reads and plans for these spaces. When the deck has mistakes they are printed to stderr, and nothing
/// is returned. A result file that a rule compares with and that cannot be read is one, too.
std::optional<Plan> read_and_plan(DeckOptions const& options, Build const& build);

// The commands beside `run`; each returns the exit code.
int check(DeckOptions const& options);
int list(std::string const& pattern);
int list_json();  ///< the whole catalogue, and what else a deck may say
int info();

}  // namespace tilestride
