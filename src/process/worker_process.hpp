// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace tilestride {

/// A worker and the two pipes to it: its standard input takes commands, its standard output gives messages, a line
/// each. What it says on standard error goes to a log.
class WorkerProcess {
 public:
  /// Starts `path worker FLAGS…`. `log`: a file that is appended to; empty: nowhere. Throws std::runtime_error where no
  /// process can be made.
  WorkerProcess(std::string const& path, std::vector<std::string> const& flags, std::string const& log);
  ~WorkerProcess();
  WorkerProcess(WorkerProcess const&) = delete;
  WorkerProcess& operator=(WorkerProcess const&) = delete;

  /// A command, to be sent while messages are waited for: neither side ever waits for the other to read.
  void send(std::string line);
  /// No further command will come.
  void finish_sending() { finished_ = true; }

  /// All whole lines that have come, after waiting `timeout_ms` for something at most; `ended` when the worker has
  /// closed its end.
  std::vector<std::string> exchange(int timeout_ms, bool& ended);

  void kill_now() const;
  /// The status as waitpid(2) gives it.
  int wait();

 private:
  void write_some();

  pid_t pid_ = -1;
  int to_worker_ = -1, from_worker_ = -1;
  std::string unsent_, unread_;
  bool finished_ = false;
};

}  // namespace tilestride
