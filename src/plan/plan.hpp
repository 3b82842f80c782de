// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Deck x catalogue -> an ordered list of cases, and the rules that judge them. All mistakes in a deck are found here,
// before anything is allocated.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "deck/deck.hpp"
#include "model/case.hpp"
#include "model/spaces.hpp"

namespace tilestride {

/// One comparison that a rule asks for: the best of `cases` against the best of `of`.
struct Comparison {
  std::vector<std::size_t> cases;
  std::vector<std::size_t> of;  ///< empty unless the rule compares cases with cases
};

struct Rule {
  enum class Of { cases, bound, model, file, absolute };
  Position at;
  std::string text;  ///< in one line, for the report
  Of of = Of::absolute;
  std::string file;     ///< Of::file: a result document, relative to the deck
  double at_least = 0;  ///< a ratio; Of::absolute: B/s or FLOP/s
  bool optional = false;
  std::string why;
  std::vector<Comparison> comparisons;
};

struct RunSettings {
  std::string title;
  double budget = 0;  ///< seconds; 0: no limit
  std::int64_t seed = 1;
  std::vector<std::string> require;  ///< spaces without which the run fails
  bool clean_environment = false;    ///< workers start without the variables that change figures unseen
  bool one_by_one = false;           ///< ranks take turns instead of measuring at the same time
  double slow_watch = 0.035;         ///< share below the other ranks from which one is watched
  double slow_replace = 0.07;        ///< … from which its device is to be replaced
};

struct Plan {
  RunSettings run;
  std::vector<Case> cases;
  std::vector<std::vector<std::size_t>> groups;  ///< cases of one problem, which are sampled in alternation
  std::vector<Rule> rules;
  std::string resolved;  ///< the deck with every default filled in and the origin of each value; gives the same plan
};

/// Plans a deck. Every mistake is appended to `mistakes`; the plan is complete only when there are none.
/// `only`: keep the cases whose name contains this text.
Plan make_plan(Deck const& deck, Catalogue const& catalogue, Build const& build, std::string const& only,
               std::vector<Mistake>& mistakes);

/// More cases than this are a typing error (a range with a wrong factor, say), not a plan.
constexpr std::size_t most_cases = 1'000'000;

}  // namespace tilestride
