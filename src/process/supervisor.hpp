// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "measure/phase.hpp"
#include "model/phase_times.hpp"
#include "model/result.hpp"
#include "process/programs.hpp"

namespace tilestride {

/// What one program has to do, and for how long.
struct Assignment {
  Program const* program = nullptr;
  std::vector<std::size_t> cases;  ///< indices into the plan, in its order
  double seconds = 0;              ///< a guess at what they take: the budget is shared out by it
};

/// How workers are started, and who is told of what they say.
struct Supervision {
  std::vector<std::string> kokkos;  ///< --kokkos-* flags
  std::string log;                  ///< file that takes what workers print; empty: nowhere
  double budget = 0;                ///< seconds for all programs together; 0: no limit
  std::function<void(Program const&, nlohmann::ordered_json const& hello)> on_hello;      ///< each worker's first word
  std::function<void(Program const&, nlohmann::ordered_json const& machine)> on_machine;  ///< what it runs on
  std::function<void(std::size_t index, Result const&)> on_result;  ///< once for each case that ended
  std::function<void(PhaseTimes const&)> on_times;                  ///< once for each problem that was measured
  std::function<void(Case const&, char const* phase)> on_step;
};

/// How a run ended.
struct RunEnd {
  int signal = 0;                                                   ///< that stopped it; 0: none did
  std::vector<std::pair<Program const*, std::string>> unavailable;  ///< programs that could not be used, and why
};

/// Runs the assignments one after another in worker processes of their programs. A worker that dies or hangs costs the
/// case it was at; another does the rest. A program that cannot be used at all (it does not load, its device does not
/// answer, it speaks another protocol) costs no error: its cases are skipped with the reason. Every case is reported
/// exactly once, unless the budget or a signal ends the run first.
RunEnd supervise(Plan const& plan, std::vector<Assignment> const& assignments, Supervision const& supervision);

/// Starts a worker of the program that only says what it is (on_hello): Kokkos is not started. Returns why it could
/// not, or an empty text.
std::string greet(Program const& program, Supervision const& supervision);

/// Starts a worker of the program that only describes the machine (on_hello, on_machine). Returns why it could not, or
/// an empty text.
std::string describe_machine(Program const& program, Supervision const& supervision);

}  // namespace tilestride
