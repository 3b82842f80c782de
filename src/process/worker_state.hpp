// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace tilestride {

/// What a worker has said: its current step, how long that may take, and why it cannot go on.
class WorkerState {
 public:
  using Json = nlohmann::ordered_json;
  /// Gets each message; returns false for one that has no meaning.
  using OnMessage = std::function<bool(std::string const& kind, Json const& message)>;

  explicit WorkerState(double hello_limit) : limit_(hello_limit), hello_limit_(hello_limit) {}

  /// A line of the worker.
  void take(std::string const& line, OnMessage const& on_message);
  /// No line has come for `seconds`. Notes that it hangs when its step may not take so long.
  void wait(double seconds);

  bool greeted() const { return greeted_; }
  /// Its current step has a limit.
  bool may_hang() const;
  /// Seconds that it has announced for its last step with a limit; 0 before the first. Of one that waits in the midst
  /// of a step, those of this step.
  double announced() const { return announced_; }
  bool in_order() const { return hang_.empty() && refusal_.empty() && nonsense_.empty(); }
  std::string const& hang() const { return hang_; }
  std::string const& case_name() const { return case_name_; }  ///< of the last step; empty before the first
  std::string const& phase() const { return phase_; }
  /// The first invalid message; empty when all were valid.
  std::string const& nonsense() const { return nonsense_; }
  /// Why the program cannot be used at all; empty when it can.
  std::string const& refusal() const { return refusal_; }

  /// Why a worker that ended with this status (of waitpid(2)) sent no hello; the loader's error message is in the log.
  std::string why_not_started(int status, std::string const& log) const;
  /// What became of a worker that hung, or ended with this status before its work was done.
  std::string what_happened(int status, std::string const& log) const;
  /// The same where no status is known: its host is gone.
  std::string how_it_vanished(std::string const& log) const;

 private:
  bool greeted_ = false;
  double limit_;  ///< seconds for the current step
  double announced_ = 0;
  double hello_limit_;
  std::string case_name_, phase_ = "starting", hang_, nonsense_, refusal_;
};

/// Marks in the log where the output of a new worker begins.
void begin_log(std::string const& log, std::string const& program);

/// The last line printed by the last worker, without the frames of a backtrace and the rules around a message.
std::string last_words(std::string const& log);

}  // namespace tilestride
