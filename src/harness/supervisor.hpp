// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "harness/result.hpp"
#include "harness/spent.hpp"
#include "plan/plan.hpp"

namespace tilestride {

/// How the parent starts a worker and what it does with what the worker says.
struct Supervision {
  std::vector<std::string> command;  ///< the worker's arguments, without the program and the descriptors
  std::string log;                   ///< file that takes what the worker prints; empty: nowhere
  double budget = 0;                 ///< seconds for the whole run; 0: no limit
  std::function<void(std::size_t index, Result const&)> on_result;
  std::function<void(nlohmann::ordered_json const&)> on_machine;  ///< each worker says what it runs on
  std::function<void(Spent const&)> on_spent;                     ///< once for each problem that was sampled
  std::function<void(std::size_t index, char const* phase)>
      on_step;  ///< what the worker is at, looked at ten times a second
};

/// How a run ended.
struct RunEnd {
  int signal = 0;           ///< that stopped it; 0: none did
  std::string unavailable;  ///< why no worker could start at all
};

/// Runs the cases of `todo` in worker processes. A worker that dies or hangs costs the case it was at; another does the
/// rest. Every case of `todo` is reported exactly once, unless the budget or a signal ends the run first.
RunEnd supervise(Plan const& plan, std::vector<std::size_t> todo, Supervision const& supervision);

/// Starts a worker that only describes the machine to `on_machine`. Returns why it could not, or an empty text.
std::string describe_machine(Supervision const& supervision);

}  // namespace tilestride
