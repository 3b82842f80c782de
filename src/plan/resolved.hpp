// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The resolved deck: the deck of a plan with every default filled in.

#include <string>
#include <vector>

#include "plan/cases.hpp"
#include "plan/plan.hpp"
#include "plan/section.hpp"

namespace tilestride {

/// As text that gives the same plan anywhere; each line says in a comment where its value comes from. `blocks` and
/// `rules` are those of all [[case]] and [[expect]] of the deck, which has no mistakes.
std::string resolved_deck(Deck const& deck, RunSettings const& run, Sampling const& defaults,
                          std::vector<Block> const& blocks, std::vector<Rule> const& rules);

}  // namespace tilestride
