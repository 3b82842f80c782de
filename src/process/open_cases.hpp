// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "process/messages.hpp"
#include "process/supervisor.hpp"

namespace tilestride {

/// The cases of a program that have no result yet. Each gets one, which goes to on_result.
class OpenCases {
 public:
  OpenCases(Plan const& plan, CaseIndex const& index, Assignment const& assignment, Supervision const& supervision);

  bool empty() const { return open_.empty(); }
  std::size_t size() const { return open_.size(); }
  bool has(std::size_t i) const { return open_.count(i) != 0; }
  /// The index of the case of that name; nothing when it is not open.
  std::optional<std::size_t> find(std::string const& name) const;

  void close(std::size_t i, Result result);
  void close(std::size_t i, Outcome outcome, std::string reason, std::optional<SkipReason> skip = {});
  void close_all(Outcome outcome, std::string const& reason, std::optional<SkipReason> skip = {});

  /// The commands that measure them, problem by problem. `until`: as for measure_command().
  std::vector<Json> commands(double until) const;

 private:
  Plan const& plan_;
  CaseIndex const& index_;
  Supervision const& supervision_;
  std::string program_;
  std::set<std::size_t> open_;
};

}  // namespace tilestride
