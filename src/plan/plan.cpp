// SPDX-License-Identifier: BSD-3-Clause
#include "plan/plan.hpp"

#include <algorithm>

#include "plan/cases.hpp"
#include "plan/resolved.hpp"
#include "plan/rules.hpp"
#include "plan/section.hpp"
#include "plan/settings.hpp"

namespace tilestride {

Plan make_plan(Deck const& deck, Catalogue const& catalogue, Build const& build, std::string const& only,
               std::vector<Mistake>& mistakes) {
  if (deck.root.entries.empty() && !mistakes.empty()) return {};  // could not be read, which is already reported
  Section const root{deck.root, "", mistakes};
  Names allowed{"schema"};
  for (DeckTable const& table : deck_tables()) allowed.push_back(table.name);
  root.check_names(allowed);
  check_schema(root);

  Plan plan;
  plan.run = read_run(root);
  Sampling const defaults = read_default_sampling(root);
  std::vector<Block> const blocks = read_blocks(root, catalogue, build.default_space, defaults);
  Cases cases = multiply_out(blocks, build.spaces, only, mistakes);
  if (mistakes.empty() && cases.all.empty() && !only.empty())
    root.refuse({0, 0, "--only " + only}, "", "no case of this deck has that in its name");
  plan.cases = std::move(cases.all);
  plan.groups = std::move(cases.groups);
  plan.rules = read_rules(root, deck.file, catalogue, plan.cases, !only.empty());
  if (!mistakes.empty()) return plan;

  plan.resolved = resolved_deck(deck, plan.run, defaults, blocks, plan.rules);
  plan.rules.erase(
      std::remove_if(plan.rules.begin(), plan.rules.end(), [](Rule const& rule) { return rule.comparisons.empty(); }),
      plan.rules.end());
  return plan;
}

}  // namespace tilestride
