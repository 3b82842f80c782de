// SPDX-License-Identifier: BSD-3-Clause
#include "process/worker.hpp"

#include <unistd.h>

#include <cstdio>
#include <exception>
#include <iostream>
#include <optional>

#include "machine/build_info.hpp"
#include "machine/host.hpp"
#include "machine/threads.hpp"
#include "measure/group.hpp"
#include "portable/bench.hpp"
#include "process/messages.hpp"

namespace tilestride {
namespace {

/// Announces the next step. An unchanged step is announced again at most once per second, as a heartbeat.
class Heartbeat {
 public:
  explicit Heartbeat(Channel const& channel) : channel_(channel) {}

  void operator()(std::string const& case_name, Phase phase, double limit) {
    double const now = monotonic_now();
    if (case_name == case_name_ && phase == phase_ && now - told_ < 1) return;
    case_name_ = case_name;
    phase_ = phase;
    limit_ = limit;
    told_ = now;
    say(phase, limit);
  }

  /// A rank that waits has no limit: those that it waits for have one. When it goes on, that of its step holds again.
  void wait(bool waits) const {
    if (waits)
      say(Phase::waiting, no_limit);
    else
      say(phase_, limit_);
  }

 private:
  void say(Phase phase, double limit) const { channel_.say(to_line(step_message(case_name_, phase, limit))); }

  Channel const& channel_;
  std::string case_name_;
  Phase phase_ = Phase::starting;
  double limit_ = no_limit;  ///< before the first step: a worker waits for a command
  double told_ = -1;
};

class Worker {
 public:
  Worker(Catalogue const& catalogue, std::vector<std::string> const& flags, Channel const& channel, Ranks* ranks)
      : catalogue_(catalogue), flags_(flags), channel_(channel), ranks_(ranks) {
    if (ranks_ != nullptr) ranks_->on_wait = [this](bool waits) { heartbeat_.wait(waits); };
    say(hello_message(program_name()));
  }

  /// True when the command was executed and the process is still in a good state.
  bool describe() { return start_kokkos(); }

  bool measure(Json const& command) {
    double const until = to_monotonic(command.at("until").get<double>());
    if (!turns(command).everywhere(until == 0 || monotonic_now() <= until)) return true;
    if (!turns(command).everywhere(start_kokkos())) return false;
    std::vector<Case> cases;
    for (AgreedCase const& agreed : cases_of_command(command, catalogue_, build_spaces())) {
      bool const everywhere = turns(command).everywhere(agreed.found.has_value());
      if (!agreed.found)
        say(lacking_message(agreed));
      else if (everywhere)
        cases.push_back(*agreed.found);
      else
        say(elsewhere_message(agreed));
    }
    if (cases.empty()) return true;
    GroupSettings const settings{command.at("seed").get<std::int64_t>(), until, turns(command), ranks_,
                                 ranks_ != nullptr ? ranks_->clock_offset() : 0};
    Observer const observer{
        [&](Case const& c, Phase phase, double limit) { heartbeat_(c.name(), phase, limit); },
        [&](Result const& result) {
          say(ranks_ != nullptr && ranks_->rank() > 0 ? to_short_json(result) : to_json(result));
        },
    };
    PhaseTimes times;
    bool const sound = measure_on_bench(cases, settings, observer, times);
    say(times_message(times));
    return sound;
  }

 private:
  bool measure_on_bench(std::vector<Case> const& cases, GroupSettings const& settings, Observer const& observer,
                        PhaseTimes& times) {
    heartbeat_(cases.front().name(), Phase::preparing, start_limit);
    try {
      return measure_group(cases, open_bench(cases.front().space), settings, observer, times);
    } catch (std::exception const& problem) {  // no bench: no case of the group can be measured
      Result result;
      result.planned = &cases.front();
      result.outcome = Outcome::error;
      result.reason = one_line(problem.what());
      say(to_json(result));
      return false;
    }
  }

  void say(Json const& message) const { channel_.say(to_line(message)); }

  /// With the other ranks: all at the same time, or one after another. Else with another program, where the command
  /// says so.
  Turns turns(Json const& command) {
    if (ranks_ != nullptr) return turns_of(*ranks_, command.value("one_by_one", false));
    long const rounds = command.at("rounds").get<long>();
    if (rounds == 0) return {};
    return {[this](bool) { wait_for_turn(); }, {}, rounds};
  }

  /// Says that this turn has ended, and waits for the next.
  void wait_for_turn() {
    say(turn_message());
    std::string go;
    if (!channel_.next_command(go)) _exit(1);  // the front has ended
  }

  /// Starts Kokkos once. False when no device can be used; this is reported to the front.
  bool start_kokkos() {
    if (kokkos_) return true;
    heartbeat_("", Phase::starting, start_limit);
    std::string reason = why_no_device();
    if (reason.empty()) reason = why_too_many_threads(flags_);
    if (reason.empty()) {
      try {
        kokkos_.emplace(ranks_ != nullptr ? with_device(flags_, ranks_->local_rank()) : flags_);
        say(machine_message(describe_spaces()));
        return true;
      } catch (std::exception const& problem) {  // a device error found only by Kokkos
        reason = "Kokkos cannot be started: " + one_line(problem.what());
      }
    }
    say(unavailable_message(reason));
    return false;
  }

  static constexpr double start_limit = 120;  ///< seconds: CUDA and Kokkos start, modules are loaded

  Catalogue const& catalogue_;
  std::vector<std::string> flags_;
  Channel const& channel_;
  Ranks* ranks_;
  Heartbeat heartbeat_{channel_};
  std::optional<KokkosScope> kokkos_;
};

}  // namespace

int work(Catalogue const& catalogue, std::vector<std::string> const& kokkos, Channel const& channel, Ranks* ranks) {
  Worker worker(catalogue, kokkos, channel, ranks);
  for (std::string line; channel.next_command(line);) {
    Json const command = Json::parse(line, nullptr, false);
    std::string const word = command.is_object() ? command.value("command", "") : "";
    if (word == "quit") return 0;
    if (word == "describe") {
      if (!worker.describe()) return 0;
    } else if (word == "measure") {
      if (!worker.measure(command)) return worker_tainted;
    } else {
      std::cerr << "this command is for the program's own use: `tilestride run` starts its workers\n";
      return 2;
    }
  }
  return 0;
}

int reserve_standard_output() {
  int const descriptor = dup(STDOUT_FILENO);
  dup2(STDERR_FILENO, STDOUT_FILENO);
  return descriptor;
}

int run_worker(Catalogue const& catalogue, std::vector<std::string> const& kokkos) {
  auto const say = [output = reserve_standard_output()](std::string const& message) {
    std::string const line = message + '\n';
    for (std::size_t done = 0; done < line.size();) {
      ssize_t const n = ::write(output, line.data() + done, line.size() - done);
      if (n <= 0) _exit(1);  // the front has ended
      done += static_cast<std::size_t>(n);
    }
  };
  return work(catalogue, kokkos, {[](std::string& line) { return bool(std::getline(std::cin, line)); }, say});
}

}  // namespace tilestride
