// SPDX-License-Identifier: BSD-3-Clause
#include "process/worker_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <stdexcept>
#include <thread>

#include "machine/environment.hpp"
#include "machine/given_cpus.hpp"

namespace tilestride {
namespace {

struct Pipe {
  int read_end = -1, write_end = -1;
  Pipe() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
      throw std::runtime_error(fmt::format("no pipe to a worker: {}", std::strerror(errno)));
    read_end = ends[0];
    write_end = ends[1];
  }
};

/// The child's side of fork(): never returns.
[[noreturn]] void become_worker(std::string const& path, std::vector<char*> const& argv, std::string const& log,
                                bool clean_environment, bool own_group, Pipe const& commands, Pipe const& messages) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // ends with its parent
  if (own_group) setpgid(0, 0);
  auto* const action = own_group ? SIG_DFL : SIG_IGN;  // signals to the process group are handled by the parent
  signal(SIGINT, action);
  signal(SIGTERM, action);
  signal(SIGPIPE, SIG_DFL);
  int const log_file = open(log.empty() ? "/dev/null" : log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
  dup2(commands.read_end, STDIN_FILENO);
  dup2(messages.write_end, STDOUT_FILENO);
  if (log_file >= 0) dup2(log_file, STDERR_FILENO);
  set_worker_environment(clean_environment, !own_group);
  sched_setaffinity(0, sizeof(cpu_set_t), &given_cpus());
  execv(path.c_str(), argv.data());
  dprintf(STDERR_FILENO, "%s cannot be started: %s\n", path.c_str(), std::strerror(errno));
  _exit(127);
}

}  // namespace

WorkerProcess::WorkerProcess(std::string const& path, std::vector<std::string> arguments, std::string const& log,
                             bool clean_environment, bool own_group)
    : own_group_(own_group) {
  Pipe const commands, messages;
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  pid_ = fork();
  if (pid_ < 0) throw std::runtime_error(fmt::format("no worker process: {}", std::strerror(errno)));
  if (pid_ == 0) become_worker(path, argv, log, clean_environment, own_group, commands, messages);
  if (own_group) setpgid(pid_, pid_);  // whichever of the two processes comes first
  close(commands.read_end);
  close(messages.write_end);
  to_worker_ = commands.write_end;
  from_worker_ = messages.read_end;
  fcntl(to_worker_, F_SETFL, O_NONBLOCK);
}

WorkerProcess::~WorkerProcess() {
  kill_now();
  wait();
  if (to_worker_ >= 0) close(to_worker_);
  close(from_worker_);
}

void WorkerProcess::send(std::string const& line) {
  unsent_ += line;
  unsent_ += '\n';
}

void WorkerProcess::write_some() {
  ssize_t const n = write(to_worker_, unsent_.data(), unsent_.size());
  if (n > 0) unsent_.erase(0, static_cast<std::size_t>(n));
  if (n < 0 && errno != EAGAIN && errno != EINTR) unsent_.clear();  // the worker has ended, which is reported elsewhere
}

std::vector<std::string> WorkerProcess::exchange(int timeout_ms, bool& ended) {
  if (unsent_.empty() && finished_ && to_worker_ >= 0) {
    close(to_worker_);
    to_worker_ = -1;
  }
  pollfd waiting[] = {{from_worker_, POLLIN, 0}, {to_worker_, POLLOUT, 0}};
  nfds_t const count = unsent_.empty() ? 1 : 2;
  if (poll(waiting, count, timeout_ms) <= 0) return {};
  if (count == 2 && waiting[1].revents != 0) write_some();
  if (waiting[0].revents != 0) {
    char buffer[1 << 16];
    ssize_t const n = read(from_worker_, buffer, sizeof buffer);
    ended = n == 0 || (n < 0 && errno != EINTR);
    if (n > 0) unread_.append(buffer, static_cast<std::size_t>(n));
  }
  std::vector<std::string> lines;
  for (std::size_t end; (end = unread_.find('\n')) != std::string::npos; unread_.erase(0, end + 1))
    lines.push_back(unread_.substr(0, end));
  return lines;
}

/// To the process, or to its group. Fails when none is left.
int WorkerProcess::signal_all(int signal) const { return kill(own_group_ ? -pid_ : pid_, signal); }

void WorkerProcess::kill_now() const {
  if (pid_ > 0 && (own_group_ || !status_)) signal_all(SIGKILL);
}

void WorkerProcess::end_now() {
  constexpr std::chrono::milliseconds patience(5000), look(50);
  signal_all(SIGTERM);
  for (std::chrono::milliseconds waited{}; waited < patience; waited += look) {
    if (has_ended() && signal_all(0) != 0) return;
    std::this_thread::sleep_for(look);
  }
  kill_now();
}

bool WorkerProcess::has_ended() {
  int status = 0;
  if (!status_ && waitpid(pid_, &status, WNOHANG) == pid_) status_ = status;
  return status_.has_value();
}

int WorkerProcess::wait() {
  int status = 0;
  while (!status_ && pid_ > 0) {
    if (waitpid(pid_, &status, 0) == pid_)
      status_ = status;
    else if (errno != EINTR)
      break;
  }
  return status_.value_or(0);
}

}  // namespace tilestride
