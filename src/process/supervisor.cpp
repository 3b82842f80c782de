// SPDX-License-Identifier: BSD-3-Clause
#include "process/supervisor.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

#include <chrono>
#include <cstring>
#include <fstream>
#include <optional>
#include <set>
#include <thread>

#include "machine/host.hpp"
#include "model/text.hpp"
#include "model/units.hpp"
#include "process/messages.hpp"
#include "process/signals.hpp"
#include "process/worker.hpp"
#include "process/worker_process.hpp"

namespace tilestride {
namespace {

constexpr double hello_limit = 20;  ///< seconds until a worker's first message; only loading is done before it

/// Seconds between two reads of messages. A worker announces every sample; without this interval the front would wake
/// up during each of them.
constexpr auto between_looks = std::chrono::milliseconds(20);

constexpr char const* worker_banner = "---- worker, ";

/// The last line printed by the last worker, without the frames of a backtrace.
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

std::string death(int status, std::string const& doing, std::string const& log) {
  std::string text =
      WIFSIGNALED(status)
          ? fmt::format("worker died, signal {} ({}), while {}", WTERMSIG(status), strsignal(WTERMSIG(status)), doing)
          : fmt::format("worker ended with status {} while {}", WEXITSTATUS(status), doing);
  if (std::string const words = last_words(log); !words.empty()) text += "; its last words: " + words;
  return text;
}

/// A text of a message; empty where there is none.
std::string text_of(Json const& json, char const* key) {
  auto const it = json.find(key);
  return it != json.end() && it->is_string() ? it->get<std::string>() : "";
}

/// Why the first message of a program is not a valid hello; empty when it is.
std::string why_no_hello(Json const& json, std::string const& line) {
  if (!json.is_object() || text_of(json, "kind") != "hello")
    return "it does not answer as a worker does: " + printable(line, 100);
  auto const version = json.find("protocol");
  if (version == json.end() || *version != protocol_version)
    return fmt::format("it speaks protocol {}, and this program {}: build both from one revision",
                       version == json.end() ? "0" : to_line(*version), protocol_version);
  for (char const* key : {"git revision", "build"}) {
    if (!json.contains(key)) return fmt::format("it does not answer as a worker does: no {}", key);
  }
  return "";
}

/// One worker of a program: its messages, and its current step.
class Conversation {
 public:
  Conversation(Program const& program, Supervision const& supervision)
      : program_(program),
        supervision_(supervision),
        process_(program.path, supervision.kokkos, supervision.log, supervision.clean_environment) {}

  WorkerProcess& process() { return process_; }

  /// Reads messages until the worker ends, hangs, or `go_on` returns false. `on_message` gets the messages that are not
  /// handled here.
  template <class GoOn, class OnMessage>
  void listen(GoOn const& go_on, OnMessage const& on_message) {
    bool ended = false;
    double seen = monotonic_now(), looked = seen;
    while (!ended && hang_.empty() && refusal_.empty() && nonsense_.empty() && go_on()) {
      std::vector<std::string> const lines = process_.exchange(100, ended);
      double const now = monotonic_now();
      if (now - looked > 1) seen += now - looked;  // this process was stopped, and perhaps the worker too
      looked = now;
      if (!lines.empty()) seen = now;
      for (std::string const& line : lines) {
        if (refusal_.empty() && nonsense_.empty()) take(line, on_message);
      }
      if (now - seen > limit_)
        hang_ = fmt::format("{} took longer than {}; the worker was killed", phase_, short_time(limit_));
      if (!ended) std::this_thread::sleep_for(between_looks);
    }
    if (!hang_.empty() || !refusal_.empty() || !nonsense_.empty()) process_.kill_now();
  }

  bool greeted() const { return greeted_; }
  std::string const& hang() const { return hang_; }
  std::string const& case_name() const { return case_name_; }  ///< of the last step; empty before the first
  std::string const& phase() const { return phase_; }
  /// The first invalid message; empty when all were valid.
  std::string const& nonsense() const { return nonsense_; }
  /// Why the program cannot be used at all; empty when it can.
  std::string const& refusal() const { return refusal_; }

 private:
  template <class OnMessage>
  void take(std::string const& line, OnMessage const& on_message) {
    Json const json = Json::parse(line, nullptr, false);
    if (!greeted_) {
      if (refusal_ = why_no_hello(json, line); !refusal_.empty()) return;
      greeted_ = true;
      limit_ = 0x1p30;  // until its first step: it waits for a command
      if (supervision_.on_hello) supervision_.on_hello(program_, json);
      return;
    }
    std::string const kind = json.is_object() ? text_of(json, "kind") : "";
    try {
      if (kind == "step") {
        case_name_ = text_of(json, "case");
        phase_ = text_of(json, "phase");
        limit_ = json.at("limit").get<double>();
      } else if (kind == "machine") {
        if (supervision_.on_machine) supervision_.on_machine(program_, json);
      } else if (kind == "unavailable") {
        refusal_ = text_of(json, "reason");
      }
      if (!on_message(kind, json)) nonsense_ = printable(line, 200);
    } catch (Json::exception const&) {  // a key is missing, or has a value of another type
      nonsense_ = printable(line, 200);
    }
  }

  Program const& program_;
  Supervision const& supervision_;
  WorkerProcess process_;
  bool greeted_ = false;
  double limit_ = hello_limit;
  std::string case_name_, phase_ = "starting", hang_, nonsense_, refusal_;
};

/// Why a worker that ended with this status sent no hello; the loader's error message is in the log.
std::string why_not_started(Conversation const& worker, int status, std::string const& log) {
  if (!worker.hang().empty()) return "no answer within " + short_time(hello_limit);
  std::string const words = last_words(log);
  return fmt::format("it does not start: {}",
                     !words.empty() ? words
                     : WIFSIGNALED(status)
                         ? fmt::format("signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)))
                         : fmt::format("exit status {}", WEXITSTATUS(status)));
}

/// All workers of one program, one after another, until its cases are done.
class ProgramRun {
 public:
  ProgramRun(Plan const& plan, CaseIndex const& index, Assignment const& assignment, Supervision const& supervision,
             double until)
      : plan_(plan),
        index_(index),
        program_(*assignment.program),
        supervision_(supervision),
        until_(until),
        open_(assignment.cases.begin(), assignment.cases.end()) {}

  /// Why the program cannot be used; empty when it could.
  std::string run() {
    while (!open_.empty() && caught_signal() == 0 && in_time()) {
      if (std::string const refusal = run_worker(); !refusal.empty()) return refusal;
    }
    return "";
  }

 private:
  bool in_time() const { return until_ == 0 || monotonic_now() < until_; }

  void close_case(std::size_t i, Result const& result) {
    if (open_.erase(i) != 0) supervision_.on_result(i, result);
  }

  void close_with(std::size_t i, Outcome outcome, std::string reason, std::optional<SkipReason> skip = {}) {
    Result result;
    result.planned = &plan_.cases[i];
    result.outcome = outcome;
    result.reason = std::move(reason);
    result.skip_reason = skip;
    result.program = program_.name;
    close_case(i, result);
  }

  void close_all_with(Outcome outcome, std::string const& reason, std::optional<SkipReason> skip = {}) {
    for (std::size_t const i : std::vector<std::size_t>(open_.begin(), open_.end()))
      close_with(i, outcome, reason, skip);
  }

  /// Commands for the remaining cases, problem by problem.
  void send_work(WorkerProcess& process) const {
    for (std::size_t g = 0; g < plan_.groups.size(); ++g) {
      std::vector<Case const*> members;
      for (std::size_t const i : plan_.groups[g]) {
        if (open_.count(i) != 0) members.push_back(&plan_.cases[i]);
      }
      if (!members.empty())
        process.send(to_line(measure_command(members, plan_.run.seed + static_cast<std::int64_t>(g), until_)));
    }
    process.finish_sending();
  }

  /// False if it is not a worker's message.
  bool take(std::string const& kind, Json const& json) {
    if (kind == "step") {
      auto const at = index_.find(text_of(json, "case"));
      std::string const phase = text_of(json, "phase");
      if (at != index_.end() && supervision_.on_step) supervision_.on_step(plan_.cases[at->second], phase.c_str());
    } else if (kind == "times") {
      supervision_.on_times(times_from_json(json));
    } else if (kind == "case") {
      auto result = result_from_json(json, plan_, index_);
      if (!result) return false;
      result->program = program_.name;
      close_case(index_.at(result->planned->name()), *result);
    } else {
      return kind == "machine" || kind == "unavailable";
    }
    return true;
  }

  /// One worker, until it ends. Returns why no worker of this program can be used.
  std::string run_worker() {
    if (!supervision_.log.empty())
      std::ofstream(supervision_.log, std::ios::app) << worker_banner << utc_now() << ", " << program_.name << "\n";
    Conversation worker(program_, supervision_);
    std::size_t const open_before = open_.size();
    send_work(worker.process());
    worker.listen([] { return caught_signal() == 0; },
                  [&](std::string const& kind, Json const& json) { return take(kind, json); });
    if (caught_signal() != 0) worker.process().kill_now();
    int const status = worker.process().wait();
    if (caught_signal() != 0) return "";
    works_ = works_ || worker.greeted();
    std::string refusal = worker.refusal();
    if (refusal.empty() && !works_) refusal = why_not_started(worker, status, supervision_.log);
    if (!refusal.empty()) {
      close_all_with(Outcome::skipped, fmt::format("{}: {}", program_.name, refusal), SkipReason::no_device);
      return refusal;
    }
    if (!worker.nonsense().empty()) {
      close_all_with(Outcome::error, "its worker said what has no meaning here: " + worker.nonsense());
      return "";
    }
    bool const ended_well = WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == worker_tainted);
    bool const progress = open_.size() < open_before;
    if (worker.hang().empty() && ended_well && (progress || !in_time())) return "";
    blame(worker, status, progress);
    return "";
  }

  /// A worker crashed or hung, or ended without any result.
  void blame(Conversation const& worker, int status, bool progress) {
    std::string const reason =
        !worker.hang().empty() ? "hung: " + worker.hang() : death(status, worker.phase(), supervision_.log);
    auto const at = index_.find(worker.case_name());
    if (at != index_.end() && open_.count(at->second) != 0) {
      close_with(at->second, Outcome::error, reason);
      idle_deaths_ = 0;
    } else if (!progress && ++idle_deaths_ == 2) {  // no third attempt
      close_all_with(Outcome::error, reason);
    }
  }

  Plan const& plan_;
  CaseIndex const& index_;
  Program const& program_;
  Supervision const& supervision_;
  double until_;
  std::set<std::size_t> open_;
  bool works_ = program_.is_own;  ///< a worker has sent hello before; a later one without it counts as a crash
  int idle_deaths_ = 0;           ///< consecutive workers that ended before they started a step
};

/// Sends one command to a new worker. Returns why the program cannot be used, or an empty text.
std::string ask(Program const& program, Supervision const& supervision, Json const& command) {
  SignalScope const signals;
  Conversation worker(program, supervision);
  worker.process().send(to_line(command));
  worker.process().finish_sending();
  worker.listen([] { return caught_signal() == 0; }, [](std::string const&, Json const&) { return true; });
  int const status = worker.process().wait();
  return worker.greeted() || !worker.refusal().empty() ? worker.refusal()
                                                       : why_not_started(worker, status, supervision.log);
}

}  // namespace

std::string greet(Program const& program, Supervision const& supervision) {
  return ask(program, supervision, {{"command", "quit"}});
}

std::string describe_machine(Program const& program, Supervision const& supervision) {
  return ask(program, supervision, {{"command", "describe"}});
}

RunEnd supervise(Plan const& plan, std::vector<Assignment> const& assignments, Supervision const& supervision) {
  RunEnd end;
  CaseIndex const index = index_cases(plan);
  double const begin = monotonic_now();
  double all = 0, so_far = 0;
  for (Assignment const& assignment : assignments) all += assignment.seconds;
  for (Assignment const& assignment : assignments) {
    so_far += assignment.seconds;
    double const until = supervision.budget > 0 ? begin + supervision.budget * (all > 0 ? so_far / all : 1) : 0;
    std::string const reason = ProgramRun(plan, index, assignment, supervision, until).run();
    if (!reason.empty()) end.unavailable.emplace_back(assignment.program, reason);
    if (caught_signal() != 0) break;
  }
  return end;
}

}  // namespace tilestride
