// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// [[expect]]: each rule is read, and the cases that it compares are found.

#include <vector>

#include "plan/plan.hpp"
#include "plan/section.hpp"

namespace tilestride {

/// One rule for each [[expect]], in their order, as long as there are no mistakes.
/// `partial`: only some of the deck's cases are in `cases` (--only), so a rule may have nothing to compare.
std::vector<Rule> read_rules(Section const& deck, std::string const& file, Catalogue const& catalogue,
                             std::vector<Case> const& cases, bool partial);

}  // namespace tilestride
