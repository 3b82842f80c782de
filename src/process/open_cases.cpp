// SPDX-License-Identifier: BSD-3-Clause
#include "process/open_cases.hpp"

#include <utility>

namespace tilestride {

OpenCases::OpenCases(Plan const& plan, CaseIndex const& index, Assignment const& assignment,
                     Supervision const& supervision)
    : plan_(plan),
      index_(index),
      supervision_(supervision),
      program_(assignment.program->name),
      open_(assignment.cases.begin(), assignment.cases.end()) {}

std::optional<std::size_t> OpenCases::find(std::string const& name) const {
  auto const at = index_.find(name);
  if (at == index_.end() || !has(at->second)) return {};
  return at->second;
}

void OpenCases::close(std::size_t i, Result result) {
  if (open_.erase(i) == 0) return;
  result.program = program_;
  supervision_.on_result(i, result);
}

void OpenCases::close(std::size_t i, Outcome outcome, std::string reason, std::optional<SkipReason> skip) {
  Result result;
  result.planned = &plan_.cases[i];
  result.outcome = outcome;
  result.reason = std::move(reason);
  result.skip_reason = skip;
  close(i, std::move(result));
}

void OpenCases::close_all(Outcome outcome, std::string const& reason, std::optional<SkipReason> skip) {
  for (std::size_t const i : std::vector<std::size_t>(open_.begin(), open_.end())) close(i, outcome, reason, skip);
}

std::vector<Json> OpenCases::commands(double until) const {
  std::vector<Json> all;
  for (std::size_t g = 0; g < plan_.groups.size(); ++g) {
    std::vector<Case const*> members;
    for (std::size_t const i : plan_.groups[g]) {
      if (has(i)) members.push_back(&plan_.cases[i]);
    }
    if (!members.empty()) all.push_back(measure_command(members, plan_.run.seed + static_cast<std::int64_t>(g), until));
  }
  return all;
}

}  // namespace tilestride
