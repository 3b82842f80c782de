// SPDX-License-Identifier: BSD-3-Clause
#include "run/results.hpp"

#include <iostream>
#include <string>

namespace tilestride {

RunResults::RunResults(Plan const& plan, std::optional<TableStyle> style)
    : plan_(plan), style_(style), results_(plan.cases.size()), open_(plan.groups.size()), group_of_(plan.cases.size()) {
  for (std::size_t i = 0; i < results_.size(); ++i) results_[i].planned = &plan.cases[i];
  for (std::size_t g = 0; g < plan.groups.size(); ++g) {
    open_[g] = plan.groups[g].size();
    for (std::size_t const i : plan.groups[g]) group_of_[i] = g;
  }
}

void RunResults::record(std::size_t index, Result const& result) {
  results_[index] = result;
  if (--open_[group_of_[index]] == 0) print(group_of_[index]);
}

void RunResults::print_unfinished() const {
  for (std::size_t g = 0; g < open_.size(); ++g) {
    if (open_[g] > 0) print(g);
  }
}

void RunResults::print(std::size_t group) const {
  if (!style_) return;
  std::vector<Result> members;
  for (std::size_t const i : plan_.groups[group]) members.push_back(results_[i]);
  std::string const table = group_table(members, *style_);
  if (!table.empty()) std::cout << table << std::endl;
}

}  // namespace tilestride
