// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "process/supervisor.hpp"
#include "process/worker_process.hpp"

namespace tilestride {

/// One worker of a program: its messages, and its current step.
class Conversation {
 public:
  using Json = nlohmann::ordered_json;
  /// Gets the messages that are not handled here; returns false for one that has no meaning.
  using OnMessage = std::function<bool(std::string const& kind, Json const& message)>;

  /// Starts the worker.
  Conversation(Program const& program, Supervision const& supervision);

  WorkerProcess& process() { return process_; }

  /// Reads messages until the worker ends, hangs, or `go_on` returns false. A worker that hangs, refuses or talks
  /// nonsense is killed.
  void listen(std::function<bool()> const& go_on, OnMessage const& on_message);

  bool greeted() const { return greeted_; }
  std::string const& hang() const { return hang_; }
  std::string const& case_name() const { return case_name_; }  ///< of the last step; empty before the first
  std::string const& phase() const { return phase_; }
  /// The first invalid message; empty when all were valid.
  std::string const& nonsense() const { return nonsense_; }
  /// Why the program cannot be used at all; empty when it can.
  std::string const& refusal() const { return refusal_; }

  /// Why a worker that ended with this status (of waitpid(2)) sent no hello; the loader's error message is in the log.
  std::string why_not_started(int status) const;
  /// What became of a worker that hung, or ended with this status before its work was done.
  std::string what_happened(int status) const;

 private:
  void take(std::string const& line, OnMessage const& on_message);
  bool in_order() const { return hang_.empty() && refusal_.empty() && nonsense_.empty(); }

  Program const& program_;
  Supervision const& supervision_;
  WorkerProcess process_;
  bool greeted_ = false, ended_ = false;
  double limit_;  ///< seconds for the current step
  std::string case_name_, phase_ = "starting", hang_, nonsense_, refusal_;
};

}  // namespace tilestride
