// SPDX-License-Identifier: BSD-3-Clause
#include "run/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iostream>
#include <stdexcept>

#include "compare/summary.hpp"
#include "machine/host.hpp"
#include "process/in_turns.hpp"
#include "process/messages.hpp"
#include "process/signals.hpp"

namespace tilestride {
namespace {

/// Reads all of them; tells every one that cannot be read.
std::optional<std::vector<RecordedRun>> read_runs(std::vector<std::string> const& paths) {
  std::vector<RecordedRun> runs;
  for (std::string const& path : paths) {
    try {
      runs.push_back(read_run(path));
    } catch (std::exception const& problem) {
      complain(problem.what());
    }
  }
  if (runs.size() != paths.size()) return {};
  return runs;
}

/// Why the comparison is not met; empty: it is.
std::string why_not_met(RunComparison const& comparison, CompareOptions const& options) {
  auto const count = [&](auto const& is) {
    return std::count_if(comparison.cases.begin(), comparison.cases.end(), is);
  };
  if (auto const failed = count([](ComparedCase const& c) { return c.failed; }); failed > 0)
    return fmt::format("{} went wrong in mine", failed);
  if (comparison.one_run_a_side()) return "";
  if (auto const slower = count([](ComparedCase const& c) { return c.below_limit; }); slower > 0)
    return fmt::format("{} certainly below {}", slower, options.limit.value_or(1));
  if (!options.limit) return "";
  auto const apart = count([](ComparedCase const& c) { return c.judged == Judged::not_comparable; });
  if (!comparison.missing.empty() || apart > 0)
    return fmt::format("{} of theirs cannot be compared", comparison.missing.size() + static_cast<std::size_t>(apart));
  return "";
}

Tolerance tolerance_of(CompareOptions const& options) {
  Tolerance tolerance;
  tolerance.same_within = options.same_within / 100;
  tolerance.limit = options.limit.value_or(1);
  return tolerance;
}

/// Prints the summary and the status; returns the exit code.
int conclude(RunComparison const& comparison, CompareOptions const& options) {
  std::cout << summary(comparison, tolerance_of(options), options.all);
  bool const any = std::any_of(comparison.cases.begin(), comparison.cases.end(),
                               [](ComparedCase const& c) { return c.measured || c.failed; });
  std::string const reason = why_not_met(comparison, options);
  char const* const word = !reason.empty() ? "FAIL" : any ? "PASS" : "NOTHING TO COMPARE";
  std::cout << fmt::format("COMPARE STATUS: {} {}{}{}\n", word, counts(comparison), reason.empty() ? "" : ": ", reason);
  return !reason.empty() ? exit_expectation : any ? exit_pass : exit_usage;
}

/// The program in that file, with the spaces that it says it has.
Program asked_program(std::string const& path, CompareOptions const& options) {
  Program program{path, path, {}, false};
  Supervision supervision;
  supervision.kokkos = options.kokkos;
  supervision.on_hello = [&](Program const&, Json const& hello) {
    program.spaces = hello.at("spaces").get<std::vector<std::string>>();
  };
  if (std::string const reason = greet(program, supervision); !reason.empty())
    throw std::runtime_error(fmt::format("{} cannot be used: {}", path, reason));
  return program;
}

/// The spaces that both have. The default is the last in the order from hosts to devices.
Build common_spaces(std::vector<Program> const& programs) {
  Build build;
  for (std::string const& space : known_spaces()) {
    bool const in_both = std::all_of(programs.begin(), programs.end(), [&](Program const& program) {
      return std::count(program.spaces.begin(), program.spaces.end(), space) != 0;
    });
    if (!in_both) continue;
    build.spaces.push_back(space);
    build.default_space = space;
  }
  if (build.spaces.empty()) throw std::runtime_error("the programs have no execution space in common");
  return build;
}

/// What one program said of itself and measured, as a result document would have it.
struct Recording {
  Json document{{"schema", result_schema}, {"program", "tilestride"}};

  explicit Recording(std::string const& deck) {
    document["started"] = utc_now();
    document["deck"] = deck;
    document["machine"] = Json::object();
    for (auto const& [name, value] : host_facts().facts()) document["machine"][name] = value;
    document["programs"] = Json::object();
    document["results"] = Json::array();
  }

  /// The program goes by one name on both sides, so that its facts are compared.
  Supervision supervision(CompareOptions const& options, bool clean_environment) {
    Supervision s;
    s.kokkos = options.kokkos;
    s.clean_environment = clean_environment;
    s.on_hello = [this](Program const&, Json const& hello) {
      document["programs"]["program"]["build"] = hello.at("build");
    };
    s.on_machine = [this](Program const&, Json const& machine) {
      document["programs"]["program"]["spaces"] = machine.at("spaces");
      document["environment"] = machine.at("environment");
    };
    return s;
  }

  void add(std::map<std::size_t, Result> const& results) {
    for (auto const& [index, result] : results) {
      Json json = to_json(result);
      json["program"] = "program";
      document["results"].push_back(std::move(json));
    }
  }
};

/// Samples of each case by one pair of processes: as many as the deck asks for, and enough for a median of the ratios.
long rounds_of(Plan const& plan) {
  long rounds = 25;
  for (Case const& c : plan.cases) rounds = std::max<long>(rounds, c.sampling.min_samples);
  return rounds;
}

/// One pair of processes over the whole plan.
void measure_pair(Plan const& plan, std::vector<Program> const& programs, CompareOptions const& options, long pair,
                  std::vector<RecordedRun>& mine, std::vector<RecordedRun>& theirs) {
  std::array<Recording, 2> recordings{Recording(plan.resolved), Recording(plan.resolved)};
  std::array<Contender, 2> contenders;
  for (std::size_t i = 0; i < 2; ++i)
    contenders[i] = {&programs[i], recordings[i].supervision(options, plan.run.clean_environment)};
  PairedResults const results = measure_in_turns(plan, contenders, rounds_of(plan), plan.run.seed + 1000 * pair);
  for (std::size_t i = 0; i < 2; ++i) {
    recordings[i].add(results[i]);
    (i == 0 ? mine : theirs).push_back(recorded_run(recordings[i].document, programs[i].path));
  }
}

}  // namespace

int compare(CompareOptions const& options) {
  auto mine = read_runs(options.mine);
  auto theirs = read_runs(options.theirs);
  if (!mine || !theirs) return exit_usage;
  try {
    return conclude(compare(std::move(*mine), std::move(*theirs), tolerance_of(options)), options);
  } catch (std::exception const& problem) {
    complain(problem.what());
    return exit_usage;
  }
}

int interleave(CompareOptions const& options) try {
  std::vector<Program> programs;
  for (std::size_t i = 0; i < 2; ++i) programs.push_back(asked_program(options.interleave[i], options));
  DeckOptions input = options.input;
  input.deck = options.interleave[2];
  auto const plan = read_and_plan(input, common_spaces(programs));
  if (!plan) return exit_usage;
  std::vector<RecordedRun> mine, theirs;
  SignalScope const signals;
  for (long pair = 0; pair < options.pairs && caught_signal() == 0; ++pair) {
    std::cerr << fmt::format("pair {} of {}: {} cases, in turns\n", pair + 1, options.pairs, plan->cases.size());
    measure_pair(*plan, programs, options, pair, mine, theirs);
  }
  if (caught_signal() != 0) return 128 + caught_signal();
  return conclude(compare_in_turns(std::move(mine), std::move(theirs), tolerance_of(options)), options);
} catch (std::exception const& problem) {
  complain(problem.what());
  return exit_usage;
}

}  // namespace tilestride
