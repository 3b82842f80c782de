// SPDX-License-Identifier: BSD-3-Clause
#include "harness/supervisor.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <new>
#include <set>
#include <stdexcept>

#include "deck/units.hpp"
#include "harness/beacon.hpp"
#include "harness/machine.hpp"
#include "harness/worker.hpp"
#include "report/json.hpp"

namespace tilestride {
namespace {

constexpr double start_limit = 120;  // seconds until a worker's first case: CUDA and Kokkos start, modules load

volatile sig_atomic_t caught_signal = 0;
void remember(int signal) { caught_signal = signal; }

/// SIGINT and SIGTERM are remembered for as long as this lives.
class SignalScope {
 public:
  SignalScope() {
    caught_signal = 0;
    struct sigaction action {};
    action.sa_handler = remember;
    sigaction(SIGINT, &action, &old_int_);
    sigaction(SIGTERM, &action, &old_term_);
  }
  ~SignalScope() {
    sigaction(SIGINT, &old_int_, nullptr);
    sigaction(SIGTERM, &old_term_, nullptr);
  }
  SignalScope(SignalScope const&) = delete;
  SignalScope& operator=(SignalScope const&) = delete;

 private:
  struct sigaction old_int_ {};
  struct sigaction old_term_ {};
};

/// A beacon in memory that a worker can map too.
class SharedBeacon {
 public:
  SharedBeacon() : descriptor_(memfd_create("tilestride-beacon", 0)) {
    void* memory = MAP_FAILED;
    if (descriptor_ >= 0 && ftruncate(descriptor_, sizeof(Beacon)) == 0)
      memory = mmap(nullptr, sizeof(Beacon), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0);
    if (memory == MAP_FAILED)
      throw std::runtime_error(fmt::format("no shared memory for the worker: {}", std::strerror(errno)));
    beacon_ = new (memory) Beacon;
  }
  ~SharedBeacon() {
    munmap(beacon_, sizeof(Beacon));
    close(descriptor_);
  }
  SharedBeacon(SharedBeacon const&) = delete;
  SharedBeacon& operator=(SharedBeacon const&) = delete;

  Beacon& operator*() const { return *beacon_; }
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
  Beacon* beacon_ = nullptr;
};

char const* phase_name(Phase phase) {
  switch (phase) {
    case Phase::starting: return "starting";
    case Phase::preparing: return "preparing";
    case Phase::sampling: return "sampling";
    case Phase::verifying: return "verifying";
  }
  return "";
}

constexpr char const* worker_banner = "---- worker, ";

/// The last line that the last worker printed, but for the frames of a backtrace.
std::string last_words(std::string const& log) {
  std::ifstream stream(log);
  std::string last;
  for (std::string line; std::getline(stream, line);) {
    if (line.rfind(worker_banner, 0) == 0)
      last.clear();
    else if (line.find_first_not_of(" \t\r") != std::string::npos && line.rfind("[0x", 0) != 0 && line != "Backtrace:")
      last = line.substr(0, 200);
  }
  return last;
}

/// What OpenMP and OpenBLAS only read when they are loaded: sensible where the user has not decided.
void set_environment() {
  setenv("OMP_PROC_BIND", "spread", 0);
  setenv("OMP_PLACES", "threads", 0);
  if (std::string const core = openblas_core_type(); !core.empty()) setenv("OPENBLAS_CORETYPE", core.c_str(), 0);
}

/// The indices in a file of their own, a line each: a pipe would have to be fed while the worker may be dying.
int todo_list(std::vector<std::size_t> const& todo) {
  std::string text;
  for (std::size_t const index : todo) text += std::to_string(index) + "\n";
  int const file = memfd_create("tilestride-todo", MFD_CLOEXEC);
  if (file < 0 || write(file, text.data(), text.size()) != static_cast<ssize_t>(text.size()) ||
      lseek(file, 0, SEEK_SET) != 0)
    throw std::runtime_error(fmt::format("no shared memory for the worker: {}", std::strerror(errno)));
  return file;
}

/// One worker process and the pipe it talks through.
class WorkerProcess {
 public:
  WorkerProcess(Supervision const& supervision, std::vector<std::size_t> const& todo, SharedBeacon const& beacon,
                double until) {
    int from_worker[2];
    if (pipe2(from_worker, O_CLOEXEC) != 0)
      throw std::runtime_error(fmt::format("no pipe to a worker: {}", std::strerror(errno)));
    int const list = todo_list(todo);
    std::vector<std::string> arguments{"tilestride", "worker"};
    arguments.insert(arguments.end(), supervision.command.begin(), supervision.command.end());
    for (auto const& [flag, value] : {std::pair("--output-fd", std::to_string(from_worker[1])),
                                      std::pair("--beacon-fd", std::to_string(beacon.descriptor())),
                                      std::pair("--until", fmt::format("{}", until))}) {
      arguments.emplace_back(flag);
      arguments.push_back(value);
    }
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);

    pid_ = fork();
    if (pid_ < 0) throw std::runtime_error(fmt::format("no worker process: {}", std::strerror(errno)));
    if (pid_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);  // never outlives its parent
      signal(SIGINT, SIG_IGN);           // what reaches the whole process group is for the parent to decide on
      signal(SIGTERM, SIG_IGN);
      int const log =
          open(supervision.log.empty() ? "/dev/null" : supervision.log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
      dup2(list, STDIN_FILENO);
      dup2(log, STDOUT_FILENO);
      dup2(log, STDERR_FILENO);
      fcntl(from_worker[1], F_SETFD, 0);
      set_environment();
      execv("/proc/self/exe", argv.data());
      _exit(127);
    }
    close(from_worker[1]);
    close(list);
    output_ = from_worker[0];
  }
  ~WorkerProcess() {
    kill_now();
    wait();
    close(output_);
  }
  WorkerProcess(WorkerProcess const&) = delete;
  WorkerProcess& operator=(WorkerProcess const&) = delete;

  void kill_now() const {
    if (pid_ > 0) kill(pid_, SIGKILL);
  }

  /// The next whole line; nothing yet when `line` comes back empty; false at the end.
  bool read_line(std::string& line, int timeout_ms) {
    line.clear();
    if (take(line)) return true;
    pollfd waiting{output_, POLLIN, 0};
    if (poll(&waiting, 1, timeout_ms) <= 0) return true;
    char buffer[1 << 16];
    ssize_t const n = read(output_, buffer, sizeof buffer);
    if (n < 0) return errno == EINTR;
    if (n == 0) return false;
    text_.append(buffer, static_cast<std::size_t>(n));
    take(line);
    return true;
  }

  int wait() {
    int status = 0;
    if (pid_ > 0) {
      while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
      }
      pid_ = -1;
    }
    return status;
  }

 private:
  bool take(std::string& line) {
    auto const end = text_.find('\n');
    if (end == std::string::npos) return false;
    line = text_.substr(0, end);
    text_.erase(0, end + 1);
    return true;
  }

  pid_t pid_ = -1;
  int output_ = -1;
  std::string text_;
};

std::string death(int status, std::string const& doing, std::string const& log) {
  std::string text =
      WIFSIGNALED(status)
          ? fmt::format("worker died, signal {} ({}), while {}", WTERMSIG(status), strsignal(WTERMSIG(status)), doing)
          : fmt::format("worker ended with status {} while {}", WEXITSTATUS(status), doing);
  if (std::string const words = last_words(log); !words.empty()) text += "; its last words: " + words;
  return text;
}

}  // namespace

std::string describe_machine(Supervision const& supervision) {
  SharedBeacon const beacon;
  WorkerProcess worker(supervision, {}, beacon, 0);
  double const begin = monotonic_now();
  std::string problem = "the worker said nothing";
  for (std::string line; worker.read_line(line, 100) && monotonic_now() - begin < start_limit;) {
    Json const json = Json::parse(line, nullptr, false);
    if (!json.is_object()) continue;
    problem = json.value("reason", "");
    if (json.value("kind", "") == "machine") supervision.on_machine(json);
  }
  return problem;
}

RunEnd supervise(Plan const& plan, std::vector<std::size_t> todo, Supervision const& supervision) {
  RunEnd end;
  SignalScope const signals;
  CaseIndex const index = index_cases(plan);
  std::set<std::size_t> open(todo.begin(), todo.end());
  double const until = supervision.budget > 0 ? monotonic_now() + supervision.budget : 0;
  int idle_deaths = 0;  // workers in a row that died before they had begun anything

  auto const close_case = [&](std::size_t i, Result const& result) {
    if (open.erase(i) != 0) supervision.on_result(i, result);
  };
  auto const close_with = [&](std::size_t i, Outcome outcome, std::string reason) {
    Result result;
    result.planned = &plan.cases[i];
    result.outcome = outcome;
    result.reason = std::move(reason);
    close_case(i, result);
  };

  while (!open.empty() && caught_signal == 0 && (until == 0 || monotonic_now() < until)) {
    if (!supervision.log.empty()) std::ofstream(supervision.log, std::ios::app) << worker_banner << utc_now() << "\n";
    SharedBeacon const beacon;
    WorkerProcess worker(supervision, {open.begin(), open.end()}, beacon, until);
    std::size_t const open_before = open.size();
    std::uint64_t last_beat = 0;
    double beat_seen = monotonic_now();
    double looked = beat_seen;
    std::string hang;
    std::string line;
    while (worker.read_line(line, 100) && caught_signal == 0) {
      if (!line.empty()) {
        Json const json = Json::parse(line, nullptr, false);
        std::string const kind = json.is_object() ? json.value("kind", "") : "";
        if (kind == "machine") {
          supervision.on_machine(json);
        } else if (kind == "spent") {
          supervision.on_spent(spent_from_json(json));
        } else if (kind == "unavailable") {
          end.unavailable = json.value("reason", "");
        } else if (auto const result = result_from_json(json, plan, index)) {
          close_case(static_cast<std::size_t>(result->planned - plan.cases.data()), *result);
        } else {
          throw std::logic_error("the worker said what the program does not understand: " + line.substr(0, 200));
        }
      }
      double const now = monotonic_now();
      if (now - looked > 1)
        beat_seen += now - looked;  // this process itself was stopped, and the worker perhaps with it
      looked = now;
      if (std::uint64_t const beat = (*beacon).beats; beat != last_beat) {
        last_beat = beat;
        beat_seen = now;
        if ((*beacon).index >= 0)
          supervision.on_step(static_cast<std::size_t>((*beacon).index), phase_name((*beacon).phase));
      }
      double const limit = (*beacon).index < 0 ? start_limit : (*beacon).limit.load();
      if (now - beat_seen > limit) {
        hang = fmt::format("hung: {} took longer than {}; the worker was killed", phase_name((*beacon).phase),
                           short_time(limit));
        worker.kill_now();
        break;
      }
    }
    if (caught_signal != 0) worker.kill_now();
    int const status = worker.wait();
    if (caught_signal != 0) break;
    if (!end.unavailable.empty()) {
      for (std::size_t const i : std::vector<std::size_t>(open.begin(), open.end()))
        close_with(i, Outcome::skipped, end.unavailable);
      break;
    }
    if (hang.empty() && WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == worker_tainted) &&
        (open.size() < open_before || until != 0))
      continue;

    std::int64_t const at = (*beacon).index;
    std::string const reason = hang.empty() ? death(status, phase_name((*beacon).phase), supervision.log) : hang;
    if (at >= 0 && open.count(static_cast<std::size_t>(at)) != 0) {
      close_with(static_cast<std::size_t>(at), Outcome::error, reason);
      idle_deaths = 0;
    } else if (open.size() == open_before && ++idle_deaths == 2) {  // a third would do no better
      for (std::size_t const i : std::vector<std::size_t>(open.begin(), open.end()))
        close_with(i, Outcome::error, reason);
    }
  }
  end.signal = caught_signal;
  return end;
}

}  // namespace tilestride
