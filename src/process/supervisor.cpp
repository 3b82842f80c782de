// SPDX-License-Identifier: BSD-3-Clause
#include "process/supervisor.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

#include "machine/host.hpp"
#include "process/conversation.hpp"
#include "process/messages.hpp"
#include "process/open_cases.hpp"
#include "process/signals.hpp"
#include "process/worker.hpp"
#include "ranks/ranked_run.hpp"

namespace tilestride {
namespace {

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
        open_(plan, index, assignment, supervision) {}

  /// Why the program cannot be used; empty when it could.
  std::string run() {
    while (!open_.empty() && caught_signal() == 0 && in_time()) {
      if (std::string const refusal = run_worker(); !refusal.empty()) return refusal;
    }
    return "";
  }

 private:
  bool in_time() const { return until_ == 0 || monotonic_now() < until_; }

  /// False if it is not a worker's message.
  bool take(std::string const& kind, Json const& json) {
    if (kind == "step") {
      auto const at = index_.find(text_of(json, "case"));
      std::string const phase = text_of(json, "phase");
      if (at != index_.end() && supervision_.on_step) supervision_.on_step(plan_.cases[at->second], phase.c_str());
    } else if (kind == "times") {
      supervision_.on_times(times_from_json(json));
    } else if (kind == "case") {
      auto const result = result_from_json(json, plan_, index_);
      if (!result) return false;
      open_.close(index_.at(result->planned->name()), *result);
    } else {
      return kind == "machine" || kind == "unavailable";
    }
    return true;
  }

  /// One worker, until it ends. Returns why no worker of this program can be used.
  std::string run_worker() {
    Conversation worker(program_, supervision_);
    std::size_t const open_before = open_.size();
    for (Json const& command : open_.commands(until_)) worker.process().send(to_line(command));
    worker.process().finish_sending();
    worker.listen([] { return caught_signal() == 0; },
                  [&](std::string const& kind, Json const& json) { return take(kind, json); });
    if (caught_signal() != 0) worker.process().kill_now();
    int const status = worker.process().wait();
    if (caught_signal() != 0) return "";
    works_ = works_ || worker.state().greeted();
    std::string refusal = worker.state().refusal();
    if (refusal.empty() && !works_) refusal = worker.why_not_started(status);
    if (!refusal.empty()) {
      open_.close_all(Outcome::skipped, fmt::format("{}: {}", program_.name, refusal), SkipReason::no_device);
      return refusal;
    }
    if (!worker.state().nonsense().empty()) {
      open_.close_all(Outcome::error, "its worker said what has no meaning here: " + worker.state().nonsense());
      return "";
    }
    bool const ended_well = WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == worker_tainted);
    bool const progress = open_.size() < open_before;
    if (worker.state().hang().empty() && ended_well && (progress || !in_time())) return "";
    blame(worker, status, progress);
    return "";
  }

  /// A worker crashed or hung, or ended without any result.
  void blame(Conversation const& worker, int status, bool progress) {
    std::string const reason = worker.what_happened(status);
    if (auto const at = open_.find(worker.state().case_name())) {
      open_.close(*at, Outcome::error, reason);
      idle_deaths_ = 0;
    } else if (!progress && ++idle_deaths_ == 2) {  // no third attempt
      open_.close_all(Outcome::error, reason);
    }
  }

  Plan const& plan_;
  CaseIndex const& index_;
  Program const& program_;
  Supervision const& supervision_;
  double until_;
  OpenCases open_;
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
  return worker.state().greeted() || !worker.state().refusal().empty() ? worker.state().refusal()
                                                                       : worker.why_not_started(status);
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
    std::string const reason = supervision.ranks ? run_on_ranks(plan, index, assignment, supervision, until)
                                                 : ProgramRun(plan, index, assignment, supervision, until).run();
    if (!reason.empty()) end.unavailable.emplace_back(assignment.program, reason);
    if (caught_signal() != 0) break;
  }
  return end;
}

}  // namespace tilestride
