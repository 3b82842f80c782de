// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "measure/phase.hpp"
#include "model/phase_times.hpp"
#include "model/result.hpp"
#include "process/programs.hpp"
#include "ranks/facts.hpp"

namespace tilestride {

/// The cases of one program, and their estimated time.
struct Assignment {
  Program const* program = nullptr;
  std::vector<std::size_t> cases;  ///< indices into the plan, in its order
  double seconds = 0;              ///< estimated time; the budget is divided in proportion to it
};

/// How the ranks of a run are started.
struct RankLaunch {
  int count = 1;
  std::string launcher;     ///< a line of a shell that starts them: "srun -n {}"; {} is their number
  std::string folder;       ///< for their journals, which all of them and this process see
  bool one_by_one = false;  ///< they take turns, sample by sample, instead of measuring at the same time
  bool redact = false;      ///< reasons name no host and no device
};

/// How workers are started, and the callbacks for their messages.
struct Supervision {
  std::vector<std::string> kokkos;  ///< --kokkos-* flags
  std::string log;                  ///< file for the output of workers; empty: none
  double budget = 0;                ///< seconds for all programs together; 0: no limit
  bool clean_environment = false;   ///< without the variables that change figures unseen
  std::optional<RankLaunch> ranks;  ///< several processes instead of one worker at a time
  /// What is known of each rank, by rank: once all of them know their devices, or when a launch ends before.
  std::function<void(std::vector<RankFacts> const&)> on_ranks;
  std::function<void(Program const&, nlohmann::ordered_json const& hello)> on_hello;  ///< each worker's first message
  std::function<void(Program const&, nlohmann::ordered_json const& machine)> on_machine;  ///< the worker's machine
  std::function<void(std::size_t index, Result const&)> on_result;  ///< once for each case that ended
  std::function<void(PhaseTimes const&)> on_times;                  ///< once for each problem that was measured
  std::function<void(Case const&, char const* phase)> on_step;
};

/// How a run ended.
struct RunEnd {
  std::vector<std::pair<Program const*, std::string>> unavailable;  ///< programs that could not be used, and why
};

/// Runs the assignments one after another in worker processes of their programs. If a worker crashes or hangs, its
/// current case is an error, and a new worker continues with the rest. If a program cannot be used at all (it does not
/// load, its device does not respond, it has another protocol version), its cases are skipped with the reason. Every
/// case is reported exactly once, unless the budget or a signal ends the run first. A SignalScope must exist.
RunEnd supervise(Plan const& plan, std::vector<Assignment> const& assignments, Supervision const& supervision);

/// Starts a worker that only sends its hello message (on_hello); Kokkos is not started. Returns why it failed, or an
/// empty text.
std::string greet(Program const& program, Supervision const& supervision);

/// Starts a worker that only describes the machine (on_hello, on_machine). Returns why it failed, or an empty text.
std::string describe_machine(Program const& program, Supervision const& supervision);

}  // namespace tilestride
