// SPDX-License-Identifier: BSD-3-Clause
// `tilestride run`: read, plan, run, report, judge.
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <stdexcept>

#include "catalogue.hpp"
#include "commands.hpp"
#include "deck/units.hpp"
#include "harness/build_info.hpp"
#include "harness/machine.hpp"
#include "harness/supervisor.hpp"
#include "harness/worker.hpp"
#include "report/expect.hpp"
#include "report/progress.hpp"
#include "report/run_folder.hpp"
#include "report/table.hpp"

namespace tilestride {
namespace {

/// A run as it grows: the results so far, and the tables that are complete.
class Run {
 public:
  Run(Plan const& plan, RunFolder& folder) : plan_(plan), folder_(folder), results_(plan.cases.size()), open_(plan.groups.size()), group_of_(plan.cases.size()) {
    for (std::size_t i = 0; i < results_.size(); ++i) results_[i].planned = &plan.cases[i];
    for (std::size_t g = 0; g < plan.groups.size(); ++g) {
      open_[g] = plan.groups[g].size();
      for (std::size_t const i : plan.groups[g]) group_of_[i] = g;
    }
  }

  void record(std::size_t i, Result const& result, bool is_new) {
    results_[i] = result;
    if (is_new) folder_.append(to_json(result));
    if (--open_[group_of_[i]] == 0) print(group_of_[i]);
  }

  /// The problems that the run did not get to the end of.
  void print_unfinished() const {
    for (std::size_t g = 0; g < open_.size(); ++g) {
      if (open_[g] > 0) print(g);
    }
  }

  std::vector<Result> const& results() const { return results_; }

 private:
  void print(std::size_t g) const {
    std::vector<Result> group;
    for (std::size_t const i : plan_.groups[g]) group.push_back(results_[i]);
    std::cout << group_table(group) << std::endl;
  }

  Plan const& plan_;
  RunFolder& folder_;
  std::vector<Result> results_;
  std::vector<std::size_t> open_;      ///< how many cases of each group are missing
  std::vector<std::size_t> group_of_;  ///< of each case
};

/// The least and the most that sampling and what goes with it will take, seconds.
std::pair<double, double> time_estimate(Plan const& plan) {
  double least = 0, most = 0;
  for (Case const& c : plan.cases) {
    if (!c.skip.empty()) continue;
    least += 0.05 + 1e-3 * c.sampling.min_samples;
    most += 0.5 + 1.3 * c.sampling.max_time;
  }
  return {least, most};
}

int dry_run(Plan const& plan) {
  for (std::vector<std::size_t> const& group : plan.groups) {
    for (std::size_t const i : group) {
      Case const& c = plan.cases[i];
      bool const share = std::any_of(c.values.begin(), c.values.end(), [](Value const& v) { return v.percent != 0; });
      std::cout << fmt::format("{:<60} {:>12}{}\n", c.name(), share ? "a share" : short_bytes(c.pattern->needs(c)), c.skip.empty() ? "" : "  skipped: " + c.skip);
    }
  }
  auto const [least, most] = time_estimate(plan);
  std::cout << fmt::format("{} cases of {} problems, {} rules; {} to {}{}\n", plan.cases.size(), plan.groups.size(), plan.rules.size(), short_time(least), short_time(most),
                           plan.run.budget > 0 ? ", at most " + short_time(plan.run.budget) : "");
  return exit_pass;
}

int profile(Plan const& plan, RunOptions const& options) {
  for (std::size_t i = 0; i < plan.cases.size(); ++i) {
    if (plan.cases[i].name() != options.profile) continue;
    if (plan.cases[i].skip.empty()) return profile_case(plan, i, options.kokkos);
    std::cout << "skipped: " << plan.cases[i].skip << "\n";
    return exit_all_skipped;
  }
  std::vector<std::string> names;
  for (Case const& c : plan.cases) names.push_back(c.name());
  if (names.size() > 20) names.resize(20);
  std::cerr << fmt::format("the plan has no case {}{}\n", options.profile, nearest(options.profile, names));
  return exit_usage;
}

Json document(Plan const& plan, RunOptions const& options, Json const& spaces, std::vector<Result> const& results, std::vector<Verdict> const& verdicts, std::string const& started,
              std::string const& status) {
  auto const hidden = [&](std::string const& name) {
    return options.redact && (name == "host" || name.find("uuid") != std::string::npos || name.find("SLURM") != std::string::npos);
  };
  Json json{{"schema", result_schema}, {"program", "tilestride"}, {"title", plan.run.title}, {"started", started}, {"finished", utc_now()}, {"status", status}};
  json["machine"] = Json::object();
  for (auto const& [name, value] : machine_facts()) json["machine"][name] = hidden(name) ? "hidden" : value;
  json["spaces"] = spaces;
  for (auto& [name, value] : json["spaces"].items()) {
    if (hidden(name)) value = "hidden";
  }
  json["deck"] = plan.resolved;
  json["rules"] = Json::array();
  for (Verdict const& verdict : verdicts) {
    static char const* const names[] = {"met", "met within noise", "not met", "skipped"};
    json["rules"].push_back({{"rule", verdict.rule->text}, {"judgement", names[static_cast<int>(verdict.judgement)]}, {"text", verdict.text},
                             {"reached", {{"median", verdict.reached.median}, {"low", verdict.reached.low}, {"high", verdict.reached.high}}}, {"at_least", verdict.rule->at_least}});
  }
  json["results"] = Json::array();
  for (Result const& result : results) json["results"].push_back(to_json(result));
  return json;
}

void print_findings(std::vector<Result> const& results) {
  for (Pattern const& pattern : catalogue()) {
    std::vector<Result> own;
    std::copy_if(results.begin(), results.end(), std::back_inserter(own), [&](Result const& r) { return r.planned->pattern == &pattern; });
    for (std::string const& sentence : pattern.findings(own)) std::cout << "finding: " << sentence << "\n";
  }
}

/// The last word: exit code and status line.
struct Ending {
  int code = exit_pass;
  std::string line;
};

Ending ending(Tally const& t, std::vector<Verdict> const& verdicts, RunEnd const& end) {
  auto const count = [&](Judgement j) { return std::count_if(verdicts.begin(), verdicts.end(), [&](Verdict const& v) { return v.judgement == j; }); };
  Ending e;
  if (end.signal != 0)
    e.code = 128 + end.signal;
  else if (t.failed + t.errors + t.not_run > 0)
    e.code = exit_failed;
  else if (t.passed == 0)
    e.code = exit_all_skipped;
  else if (count(Judgement::not_met) > 0)
    e.code = exit_expectation;
  char const* const word = e.code == exit_pass ? "PASS" : e.code == exit_all_skipped ? "SKIPPED" : end.signal != 0 ? "INTERRUPTED" : "FAIL";
  e.line = fmt::format("RUN STATUS: {} passed={} failed={} errors={} skipped={} not_run={} rules_met={} rules_within_noise={} rules_not_met={}", word, t.passed, t.failed, t.errors, t.skipped, t.not_run,
                       count(Judgement::met), count(Judgement::within_noise), count(Judgement::not_met));
  return e;
}

}  // namespace

int run(RunOptions const& given) try {
  RunOptions options = given;
  if (options.resume) {
    if (options.output.empty()) throw std::runtime_error("--resume needs the folder to go on in: -o DIR");
    std::string const left = (std::filesystem::path(options.output) / "deck.toml").string();
    if (!std::filesystem::exists(left)) throw std::runtime_error(fmt::format("{} holds no run to go on with", options.output));
    if (!options.input.deck.empty()) {
      auto const asked = read_and_plan(options.input);
      if (!asked) return exit_usage;
      auto const had = read_and_plan({left, {}, options.input.only});
      bool const same = had && std::equal(asked->cases.begin(), asked->cases.end(), had->cases.begin(), had->cases.end(),
                                          [](Case const& a, Case const& b) { return a.name() == b.name() && a.sampling == b.sampling; });
      if (!same) throw std::runtime_error(fmt::format("{} was run with another deck; leave the deck out to go on with the old one", options.output));
    }
    options.input.deck = left;
    options.input.set.clear();
  }

  // 1 and 2: read and plan
  auto const plan = read_and_plan(options.input);
  if (!plan) return exit_usage;
  if (options.dump_deck) {
    std::cout << plan->resolved;
    return exit_pass;
  }
  if (options.dry_run) return dry_run(*plan);
  if (!options.profile.empty()) return profile(*plan, options);

  // 3: run
  std::string const started = utc_now();
  auto const path = !options.output.empty() ? std::filesystem::path(options.output)
                                            : RunFolder::default_path(options.input.deck, options.redact ? "host" : host_facts().name);
  RunFolder folder = options.resume ? RunFolder::resume(path) : RunFolder::create(path, plan->resolved);
  auto const [least, most] = time_estimate(*plan);
  std::cout << fmt::format("{}{}{} cases of {} problems, {} to {}; results in {}\n\n", plan->run.title, plan->run.title.empty() ? "" : ": ", plan->cases.size(), plan->groups.size(), short_time(least),
                           short_time(most), path.string());
  Run state(*plan, folder);
  std::vector<bool> closed(plan->cases.size(), false);
  if (options.resume) {
    for (Result const& result : folder.finished(*plan)) {
      if (result.outcome == Outcome::error) continue;  // worth another try
      auto const i = static_cast<std::size_t>(result.planned - plan->cases.data());
      closed[i] = true;
      state.record(i, result, false);
    }
  }
  std::vector<std::size_t> todo;
  for (std::size_t i = 0; i < plan->cases.size(); ++i) {
    if (closed[i]) continue;
    if (plan->cases[i].skip.empty()) {
      todo.push_back(i);
      continue;
    }
    Result result;
    result.planned = &plan->cases[i];
    result.outcome = Outcome::skipped;
    result.reason = plan->cases[i].skip;
    state.record(i, result, true);
  }

  Json spaces = Json::object();
  RunEnd end;
  {
    Progress progress(todo.size());
    Supervision supervision;
    supervision.command = {folder.deck().string()};
    if (!options.input.only.empty()) supervision.command.insert(supervision.command.end(), {"--only", options.input.only});
    supervision.command.insert(supervision.command.end(), options.kokkos.begin(), options.kokkos.end());
    supervision.log = folder.log().string();
    supervision.budget = plan->run.budget;
    supervision.on_machine = [&](Json const& json) { spaces = json.at("spaces"); };
    supervision.on_result = [&](std::size_t i, Result const& result) {
      progress.make_way();
      state.record(i, result, true);
      progress.finished(result);
    };
    end = supervise(*plan, todo, supervision);
  }

  // 4: report
  state.print_unfinished();
  std::cout << fom_lines(state.results());
  print_findings(state.results());

  // 5: judge
  auto const verdicts = judge(*plan, state.results());
  for (Verdict const& verdict : verdicts) {
    static char const* const words[] = {"met", "met within noise", "NOT MET", "skipped"};
    std::cout << fmt::format("expect {}: {}\n", words[static_cast<int>(verdict.judgement)], verdict.text);
  }
  Ending const e = ending(tally(state.results()), verdicts, end);
  folder.write_document(document(*plan, options, spaces, state.results(), verdicts, started, e.line));
  if (!end.unavailable.empty()) std::cout << end.unavailable << "\n";
  std::cout << e.line << std::endl;
  return e.code;
} catch (std::exception const& problem) {
  std::cerr << "tilestride: " << problem.what() << "\n";
  return exit_usage;
}

}  // namespace tilestride
