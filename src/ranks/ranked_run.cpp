// SPDX-License-Identifier: BSD-3-Clause
#include "ranks/ranked_run.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <map>
#include <thread>
#include <utility>

#include "machine/host.hpp"
#include "machine/numa.hpp"
#include "model/units.hpp"
#include "process/open_cases.hpp"
#include "process/signals.hpp"
#include "process/worker.hpp"
#include "process/worker_process.hpp"
#include "process/worker_state.hpp"
#include "ranks/journal.hpp"
#include "ranks/merge.hpp"

namespace tilestride {
namespace {

/// Seconds until the last rank's first message, and for which all ranks may wait beyond what their step may take: what
/// they wait for may be a long message that is under way.
constexpr double patience = 30;
constexpr double end_of_launch = 3;  ///< seconds from the end of one rank to that of its launcher, by itself
constexpr char const* hello_line = R"({"kind":"hello",)";
constexpr auto between_looks = std::chrono::milliseconds(50);

/// One rank of a launch.
struct RankRun {
  JournalReader journal;
  WorkerState state{patience};
  RankFacts facts{};
  double seen = 0;             ///< when its last line came, by the clock of Launch
  std::optional<int> ended{};  ///< its status, of waitpid(2)
  double ended_at = 0;         ///< seconds since the epoch
  bool knows_machine = false;
};

std::string program_of(Program const& program) {
  std::error_code error;
  auto const path = std::filesystem::canonical(program.path, error);  // "/proc/self/exe" would be the launcher
  return error ? program.path : path.string();
}

/// What the launcher and all ranks do, until all of them have ended.
class Launch {
 public:
  Launch(Plan const& plan, CaseIndex const& index, Program const& program, Supervision const& supervision,
         OpenCases& open, double until)
      : plan_(plan),
        index_(index),
        program_(program),
        supervision_(supervision),
        settings_(*supervision.ranks),
        open_(open),
        launch_(fmt::format("{:.3f}", to_epoch(monotonic_now()))),
        of_ranks_(started_journals()),
        process_(started(program, supervision, launch_)) {
    for (Json command : open.commands(until)) {
      command["one_by_one"] = settings_.one_by_one;
      process_.send(to_line(command));
    }
    process_.finish_sending();
  }

  /// Until every rank has ended, or one of them makes it useless to wait.
  void listen() {
    double first_end = 0;
    while (!process_.has_ended() && !is_broken() && caught_signal() == 0) {
      bool closed = false;  // its output, which tells nothing: a launcher may write it to a file, or leave it to others
      process_.exchange(0, closed);
      read_journals();
      double const now = awake();
      if (first_end == 0 && any_ended()) first_end = now;
      if (first_end > 0 && now - first_end > end_of_launch && !all_ended()) break;
      std::this_thread::sleep_for(between_looks);
    }
    process_.end_now();
    status_ = process_.wait();
    read_journals();
  }

  /// Closes what the launch has decided. Returns why no launch can do better; empty: the next may.
  std::string conclude() {
    if (!all_know_their_machine()) tell_ranks();
    if (caught_signal() != 0) return "";
    close_decided();
    if (open_.empty()) return "";
    if (!why_broken_.empty()) return why_broken_;
    if (all_waited_ > 0) return end_where_all_wait();
    if (std::string const refusal = refusal_of_ranks(); !refusal.empty()) return refusal;
    blame();
    return "";
  }

  /// What ended the ranks before they began a case.
  std::string const& why_idle() const { return why_idle_; }

 private:
  std::vector<RankRun> started_journals() const {
    std::vector<RankRun> ranks;
    for (int r = 0; r < settings_.count; ++r)
      ranks.push_back({JournalReader(journal_path(settings_.folder, r)), WorkerState{patience}, {}, looked_});
    return ranks;
  }

  static WorkerProcess started(Program const& program, Supervision const& supervision, std::string const& id) {
    RankLaunch const& launch = *supervision.ranks;
    begin_log(supervision.log, program.name);
    std::string line = launch.launcher;
    if (auto const at = line.find("{}"); at != std::string::npos) line.replace(at, 2, std::to_string(launch.count));
    std::vector<std::string> arguments{
        "sh", "-c", "exec " + line + " \"$@\"", "sh", program_of(program), "rank", launch.folder, id};
    arguments.insert(arguments.end(), supervision.kokkos.begin(), supervision.kokkos.end());
    return {"/bin/sh", std::move(arguments), supervision.log, supervision.clean_environment, true};
  }

  std::string title(std::size_t rank) const {
    return fmt::format("{} of {}", shown_facts()[rank].title(rank), of_ranks_.size());
  }

  bool any_ended() const {
    return std::any_of(of_ranks_.begin(), of_ranks_.end(), [](RankRun const& r) { return r.ended.has_value(); });
  }
  bool all_ended() const {
    return std::all_of(of_ranks_.begin(), of_ranks_.end(), [](RankRun const& r) { return r.ended.has_value(); });
  }
  /// A rank that hangs holds up all others. One that has no device tells the others, and all end by themselves.
  bool is_broken() const {
    return all_waited_ > 0 || !why_broken_.empty() ||
           std::any_of(of_ranks_.begin(), of_ranks_.end(),
                       [](RankRun const& r) { return !r.state.hang().empty() || !r.state.nonsense().empty(); });
  }

  /// Seconds by a clock that stands still while this process is stopped, and perhaps the ranks with it. It is looked at
  /// before each file that is read: reading them all may take longer than a stop.
  double awake() {
    double const now = monotonic_now(), since = now - looked_;
    if (since > 1) stopped_ += since;
    looked_ = now;
    return now - stopped_;
  }

  void read_journals() {
    bool none_may_hang = true;
    double waited = std::numeric_limits<double>::infinity(), announced = 0;
    for (std::size_t r = 0; r < of_ranks_.size(); ++r) {
      RankRun& rank = of_ranks_[r];
      double const now = awake();
      for (std::string const& line : rank.journal.lines()) {
        if (!rank.state.greeted() && line.rfind(hello_line, 0) != 0) continue;  // of a rank of the launch before
        rank.seen = now;
        rank.state.take(line, [&](std::string const& kind, Json const& json) { return take(r, kind, json); });
      }
      if (!rank.ended) rank.state.wait(now - rank.seen);
      none_may_hang = none_may_hang && !rank.ended && !rank.state.may_hang();
      waited = std::min(waited, now - rank.seen);
      announced = std::max(announced, rank.state.announced());
    }
    if (none_may_hang && waited > announced + patience) all_waited_ = waited;
  }

  /// A message of a rank; false if it is none.
  bool take(std::size_t r, std::string const& kind, Json const& json) {
    RankRun& rank = of_ranks_[r];
    if (kind == "hello") {
      if (r == 0 && supervision_.on_hello) supervision_.on_hello(program_, json);
    } else if (kind == "rank") {
      add_facts(rank.facts, json);
      compare_programs();
      if (int const count = json.at("ranks").get<int>(); count != settings_.count)
        why_broken_ = fmt::format("`{}` has started {} ranks, not {}", settings_.launcher, count, settings_.count);
    } else if (kind == "machine") {
      add_facts(rank.facts, json);
      rank.knows_machine = true;
      if (r == 0 && supervision_.on_machine) supervision_.on_machine(program_, json);
      if (all_know_their_machine()) tell_ranks();
    } else if (kind == "step") {
      did_something_ = true;
      auto const at = index_.find(text_of(json, "case"));
      std::string const phase = text_of(json, "phase");
      if (r == 0 && at != index_.end() && supervision_.on_step)
        supervision_.on_step(plan_.cases[at->second], phase.c_str());
    } else if (kind == "times") {
      if (r == 0) supervision_.on_times(times_from_json(json));
    } else if (kind == "ended") {
      if (text_of(json, "launch") != launch_) return true;  // of one that its launcher has ended late
      rank.ended = json.at("status").get<int>();
      rank.ended_at = json.at("at").get<double>();
    } else if (kind == "case") {
      return take_case(r, json);
    } else {
      return kind == "unavailable";
    }
    return true;
  }

  bool take_case(std::size_t r, Json const& json) {
    auto const result = result_from_json(json, plan_, index_);
    if (!result) return false;
    if (!why_broken_.empty()) return true;
    std::size_t const i = index_.at(result->planned->name());
    OfEachRank& of_each = results_[i];
    of_each.resize(of_ranks_.size());
    of_each[r] = *result;
    if (!std::all_of(of_each.begin(), of_each.end(), [](auto const& one) { return one.has_value(); })) return true;
    open_.close(i, merged(of_each, shown_facts(), settings_.one_by_one));
    results_.erase(i);
    return true;
  }

  std::vector<RankFacts> all_facts() const {
    std::vector<RankFacts> facts;
    for (RankRun const& rank : of_ranks_) facts.push_back(rank.facts);
    return facts;
  }
  /// As they may be printed.
  std::vector<RankFacts> shown_facts() const { return settings_.redact ? redacted(all_facts()) : all_facts(); }

  bool all_know_their_machine() const {
    return std::all_of(of_ranks_.begin(), of_ranks_.end(), [](RankRun const& rank) { return rank.knows_machine; });
  }
  void tell_ranks() const {
    if (supervision_.on_ranks) supervision_.on_ranks(all_facts());
  }

  /// Figures of different programs do not belong together. Ranks speak in any order: all are compared with rank 0.
  void compare_programs() {
    std::string const& first = of_ranks_.front().facts.program;
    for (std::size_t r = 1; r < of_ranks_.size() && !first.empty() && why_broken_.empty(); ++r) {
      std::string const& own = of_ranks_[r].facts.program;
      if (!own.empty() && own != first)
        why_broken_ = fmt::format("{} runs another program than rank 0: the sha256 of its executable is {}, not {}",
                                  title(r), own, first);
    }
  }

  /// Cases that a rank could not finish, or got wrong, whatever the others would have found.
  void close_decided() {
    for (auto const& [i, of_each] : results_) {
      bool const decided = std::any_of(of_each.begin(), of_each.end(), [](auto const& one) {
        return one && (one->outcome == Outcome::error || one->outcome == Outcome::failed);
      });
      if (decided && open_.has(i)) open_.close(i, merged(of_each, shown_facts(), settings_.one_by_one));
    }
  }

  /// Why the ranks cannot work at all: none said anything, or one has no device.
  std::string refusal_of_ranks() const {
    std::size_t silent = of_ranks_.size(), silent_count = 0;
    for (std::size_t r = of_ranks_.size(); r-- > 0;) {
      if (!of_ranks_[r].state.refusal().empty()) return fmt::format("{}: {}", title(r), of_ranks_[r].state.refusal());
      if (of_ranks_[r].state.greeted()) continue;
      silent = r;
      ++silent_count;
    }
    if (silent_count == of_ranks_.size())
      return fmt::format("no rank has started by `{}`: {} (worker.log has all that was said)", settings_.launcher,
                         of_ranks_[0].state.why_not_started(status_, supervision_.log));
    if (silent_count > 0 && !did_something_)
      return fmt::format("{} of {} ranks did not start, the first of them rank {}: {}", silent_count, of_ranks_.size(),
                         silent, of_ranks_[silent].state.why_not_started(status_, supervision_.log));
    return "";
  }

  /// The case at which all ranks wait is an error that names none of them. Returns why the next launch would wait, too:
  /// none has begun a case.
  std::string end_where_all_wait() {
    std::string const what =
        fmt::format("all {} ranks have waited for {}, for each other", of_ranks_.size(), short_time(all_waited_));
    std::size_t const before = open_.size();
    for (RankRun const& rank : of_ranks_) {
      if (auto const at = open_.find(rank.state.case_name())) open_.close(*at, Outcome::error, what);
    }
    return open_.size() < before ? "" : fmt::format("{} or for a command of `{}`", what, settings_.launcher);
  }

  /// The rank that ended all: one that hung or talked nonsense; else the first of those that their launcher did not
  /// end.
  std::optional<std::size_t> culprit() const {
    auto const left_well = [](RankRun const& rank) { return rank.ended == 0; };
    if (std::all_of(of_ranks_.begin(), of_ranks_.end(), left_well)) return {};  // their time was up
    std::optional<std::size_t> found;
    auto const order = [](RankRun const& rank) {
      bool const by_launcher = WIFSIGNALED(*rank.ended) && WTERMSIG(*rank.ended) == SIGTERM;
      return std::pair(by_launcher, rank.ended_at);
    };
    for (std::size_t r = 0; r < of_ranks_.size(); ++r) {
      RankRun const& rank = of_ranks_[r];
      if (!rank.state.in_order()) return r;
      if (rank.ended && (!found || order(rank) < order(of_ranks_[*found]))) found = r;
    }
    if (found && !order(of_ranks_[*found]).first) return found;
    // A whole host is gone, or its disk, or all died before they could say so: first those that never spoke.
    for (bool const greeted : {false, true}) {
      for (std::size_t r = 0; r < of_ranks_.size(); ++r) {
        if (!of_ranks_[r].ended && of_ranks_[r].state.greeted() == greeted) return r;
      }
    }
    return found;
  }

  void blame() {
    auto const guilty = culprit();
    if (!guilty) return;
    RankRun const& rank = of_ranks_[*guilty];
    if (rank.ended && WIFEXITED(*rank.ended) && WEXITSTATUS(*rank.ended) == worker_tainted) return;  // it has told why
    std::string const what = !rank.state.nonsense().empty() ? "said what has no meaning here: " + rank.state.nonsense()
                             : rank.ended || !rank.state.hang().empty()
                                 ? rank.state.what_happened(rank.ended.value_or(0), supervision_.log)
                                 : rank.state.how_it_vanished(supervision_.log);
    std::string const reason = fmt::format("{}: {}{}", title(*guilty), what, others_that_hang(*guilty));
    if (auto const at = open_.find(rank.state.case_name()))
      open_.close(*at, Outcome::error, reason);
    else
      why_idle_ = reason;
  }

  /// Those in the step of a rank that hangs that did not say that they wait. Where ranks wait for each other by other
  /// ways than MPI, each of them may be the one that holds up all.
  std::string others_that_hang(std::size_t rank) const {
    WorkerState const& its = of_ranks_[rank].state;
    std::vector<int> others;
    for (std::size_t r = 0; r < of_ranks_.size() && !its.hang().empty(); ++r) {
      WorkerState const& other = of_ranks_[r].state;
      bool const here = other.case_name() == its.case_name() && other.phase() == its.phase();
      if (r != rank && here) others.push_back(static_cast<int>(r));
    }
    return others.empty() ? "" : "; any of the others in the same step may be at fault: " + list_of(others);
  }

  Plan const& plan_;
  CaseIndex const& index_;
  Program const& program_;
  Supervision const& supervision_;
  RankLaunch const& settings_;
  OpenCases& open_;
  std::string const launch_;  ///< what its ranks have in common
  double looked_ = monotonic_now(), stopped_ = 0;
  std::vector<RankRun> of_ranks_;  ///< before process_: their journals are read from here on
  WorkerProcess process_;
  std::map<std::size_t, OfEachRank> results_;  ///< of cases that not all ranks have finished
  int status_ = 0;
  bool did_something_ = false;
  double all_waited_ = 0;  ///< seconds; 0: some rank works
  std::string why_broken_, why_idle_;
};

}  // namespace

void add_facts(RankFacts& facts, Json const& message) {
  if (text_of(message, "kind") == "rank") {
    facts.host = text_of(message, "host");
    facts.cpus = text_of(message, "cpus");
    facts.nodes = text_of(message, "numa");
    facts.program = text_of(message, "sha256");
    facts.pid = message.at("pid").get<long>();
  } else {
    for (auto const& [name, value] : message.at("spaces").items()) {
      auto const ends_with = [&, &key = name](std::string const& what) {
        return key.size() > what.size() && key.compare(key.size() - what.size(), what.size(), what) == 0;
      };
      if (ends_with(": device")) facts.device = value.get<std::string>();
      if (ends_with(": uuid")) facts.uuid = value.get<std::string>();
      if (ends_with(": pci address")) facts.pci = value.get<std::string>();
      if (ends_with(": NUMA node")) facts.device_node = value.get<std::string>();
    }
  }
}

std::string run_on_ranks(Plan const& plan, CaseIndex const& index, Assignment const& assignment,
                         Supervision const& supervision, double until) {
  OpenCases open(plan, index, assignment, supervision);
  auto const in_time = [&] { return until == 0 || monotonic_now() < until; };
  for (int idle = 0; !open.empty() && caught_signal() == 0 && in_time();) {
    std::size_t const before = open.size();
    Launch launch(plan, index, *assignment.program, supervision, open, until);
    launch.listen();
    if (std::string const reason = launch.conclude(); !reason.empty()) {
      open.close_all(Outcome::error, reason);
      return reason;
    }
    idle = open.size() < before ? 0 : idle + 1;
    if (idle == 2)
      open.close_all(Outcome::error, launch.why_idle().empty() ? "no rank finished it" : launch.why_idle());
  }
  return "";
}

}  // namespace tilestride
