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

/// Reserves standard output for messages: what libraries print there goes to standard error.
class Output {
 public:
  Output() : descriptor_(dup(STDOUT_FILENO)) { dup2(STDERR_FILENO, STDOUT_FILENO); }

  void write(Json const& message) const {
    std::string const line = to_line(message) + '\n';
    for (std::size_t done = 0; done < line.size();) {
      ssize_t const n = ::write(descriptor_, line.data() + done, line.size() - done);
      if (n <= 0) _exit(1);  // the front has ended
      done += static_cast<std::size_t>(n);
    }
  }

 private:
  int descriptor_;
};

/// Announces the next step. An unchanged step is announced again at most once per second, as a heartbeat.
class Heartbeat {
 public:
  explicit Heartbeat(Output const& output) : output_(output) {}

  void operator()(std::string const& case_name, Phase phase, double limit) {
    double const now = monotonic_now();
    if (case_name == case_name_ && phase == phase_ && now - told_ < 1) return;
    output_.write(step_message(case_name, phase, limit));
    case_name_ = case_name;
    phase_ = phase;
    told_ = now;
  }

 private:
  Output const& output_;
  std::string case_name_;
  Phase phase_ = Phase::starting;
  double told_ = -1;
};

class Worker {
 public:
  Worker(Catalogue const& catalogue, std::vector<std::string> const& flags) : catalogue_(catalogue), flags_(flags) {
    output_.write(hello_message(program_name()));
  }

  /// True when the command was executed and the process is still in a good state.
  bool describe() { return start_kokkos(); }

  bool measure(Json const& command) {
    double const until = command.at("until").get<double>();
    if (until > 0 && monotonic_now() > until) return true;
    if (!start_kokkos()) return false;
    std::vector<Case> cases;
    for (AgreedCase const& agreed : cases_of_command(command, catalogue_, build_spaces())) {
      if (agreed.found)
        cases.push_back(*agreed.found);
      else
        output_.write(lacking_message(agreed));
    }
    if (cases.empty()) return true;
    GroupSettings const settings{
        command.at("seed").get<std::int64_t>(), until, {command.at("rounds").get<long>(), [&] { wait_for_turn(); }}};
    Observer const observer{
        [&](Case const& c, Phase phase, double limit) { heartbeat_(c.name(), phase, limit); },
        [&](Result const& result) { output_.write(to_json(result)); },
    };
    PhaseTimes times;
    bool const sound = measure_on_bench(cases, settings, observer, times);
    output_.write(times_message(times));
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
      output_.write(to_json(result));
      return false;
    }
  }

  /// Says that this turn has ended, and waits for the next.
  void wait_for_turn() {
    output_.write(turn_message());
    std::string go;
    if (!std::getline(std::cin, go)) _exit(1);  // the front has ended
  }

  /// Starts Kokkos once. False when no device can be used; this is reported to the front.
  bool start_kokkos() {
    if (kokkos_) return true;
    heartbeat_("", Phase::starting, start_limit);
    std::string reason = why_no_device();
    if (reason.empty()) reason = why_too_many_threads(flags_);
    if (reason.empty()) {
      try {
        kokkos_.emplace(flags_);
        output_.write(machine_message(describe_spaces()));
        return true;
      } catch (std::exception const& problem) {  // a device error found only by Kokkos
        reason = "Kokkos cannot be started: " + one_line(problem.what());
      }
    }
    output_.write(unavailable_message(reason));
    return false;
  }

  static constexpr double start_limit = 120;  ///< seconds: CUDA and Kokkos start, modules are loaded

  Catalogue const& catalogue_;
  std::vector<std::string> flags_;
  Output output_;
  Heartbeat heartbeat_{output_};
  std::optional<KokkosScope> kokkos_;
};

}  // namespace

int run_worker(Catalogue const& catalogue, std::vector<std::string> const& kokkos) {
  Worker worker(catalogue, kokkos);
  for (std::string line; std::getline(std::cin, line);) {
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

}  // namespace tilestride
