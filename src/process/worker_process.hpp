// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace tilestride {

/// A worker and the two pipes to it: commands to its standard input, messages from its standard output, one per line.
/// Its standard error goes to a log.
class WorkerProcess {
 public:
  /// Starts `path` with these arguments, the first of which is its name. `log`: a file that is appended to; empty:
  /// nowhere. `clean_environment`: without the variables that change figures unseen. `own_group`: it is a launcher;
  /// signals go to it and to what it starts, and threads of what it starts are not bound to cores. Throws
  /// std::runtime_error if no process can be created.
  WorkerProcess(std::string const& path, std::vector<std::string> arguments, std::string const& log,
                bool clean_environment, bool own_group = false);
  ~WorkerProcess();
  WorkerProcess(WorkerProcess const&) = delete;
  WorkerProcess& operator=(WorkerProcess const&) = delete;

  /// Queues a command. It is sent while waiting for messages, so that neither side blocks until the other reads.
  void send(std::string const& line);
  /// Closes the command pipe: no more commands.
  void finish_sending() { finished_ = true; }

  /// All complete lines received, after waiting at most `timeout_ms`; `ended` is set when the worker has closed its
  /// end.
  std::vector<std::string> exchange(int timeout_ms, bool& ended);

  void kill_now() const;
  /// Asks its group to end, and kills it when it has not done so after some seconds: a launcher ends its ranks first.
  void end_now();
  /// Whether the process has ended, although others may still have its end of a pipe.
  bool has_ended();
  /// The status as waitpid(2) gives it.
  int wait();

 private:
  void write_some();
  int signal_all(int signal) const;

  pid_t pid_ = -1;
  bool own_group_;
  std::optional<int> status_;  ///< once it has ended
  int to_worker_ = -1, from_worker_ = -1;
  std::string unsent_, unread_;
  bool finished_ = false;
};

}  // namespace tilestride
