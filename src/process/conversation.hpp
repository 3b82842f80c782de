// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>

#include "process/supervisor.hpp"
#include "process/worker_process.hpp"
#include "process/worker_state.hpp"

namespace tilestride {

/// One worker of a program: its messages, and its current step.
class Conversation {
 public:
  /// Starts the worker.
  Conversation(Program const& program, Supervision const& supervision);

  WorkerProcess& process() { return process_; }
  WorkerState const& state() const { return state_; }

  /// Reads messages until the worker ends, hangs, or `go_on` returns false. A worker that hangs, refuses or talks
  /// nonsense is killed. `on_message` gets what is not handled here.
  void listen(std::function<bool()> const& go_on, WorkerState::OnMessage const& on_message);

  std::string why_not_started(int status) const { return state_.why_not_started(status, supervision_.log); }
  std::string what_happened(int status) const { return state_.what_happened(status, supervision_.log); }

 private:
  static constexpr double hello_limit = 20;  ///< seconds until the first message; only loading is done before it

  Program const& program_;
  Supervision const& supervision_;
  WorkerProcess process_;
  bool ended_ = false;
  WorkerState state_{hello_limit};
};

}  // namespace tilestride
