// SPDX-License-Identifier: BSD-3-Clause
// `tilestride run`: read, plan, run, report, judge.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <stdexcept>

#include "catalogue.hpp"
#include "commands.hpp"
#include "deck/units.hpp"
#include "harness/build_info.hpp"
#include "harness/machine.hpp"
#include "harness/supervisor.hpp"
#include "harness/worker.hpp"
#include "report/comparisons.hpp"
#include "report/expect.hpp"
#include "report/progress.hpp"
#include "report/run_folder.hpp"
#include "report/table.hpp"

namespace tilestride {
namespace {

/// A run as it grows: the results so far, and the tables that are complete.
class Run {
 public:
  Run(Plan const& plan, RunFolder& folder)
      : plan_(plan),
        folder_(folder),
        results_(plan.cases.size()),
        open_(plan.groups.size()),
        group_of_(plan.cases.size()) {
    for (std::size_t i = 0; i < results_.size(); ++i) results_[i].planned = &plan.cases[i];
    for (std::size_t g = 0; g < plan.groups.size(); ++g) {
      open_[g] = plan.groups[g].size();
      for (std::size_t const i : plan.groups[g]) group_of_[i] = g;
    }
  }

  void record(Result const& result, bool is_new) {
    auto const i = static_cast<std::size_t>(result.planned - plan_.cases.data());
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

/// A guess at the least and the most that a plan will take, seconds. Nobody knows the machine yet: a host is taken to
/// move 10 GB/s and to compute 10 GFLOP/s, a device a hundred times as much.
std::pair<double, double> time_estimate(Plan const& plan) {
  double least = 0, most = 0;
  for (Case const& c : plan.cases) {
    if (!c.skip.empty()) continue;
    Work const work = c.pattern->work(c);
    double const call = (work.bytes + work.flops + work.operations) / (is_host_space(c.space) ? 1e10 : 1e12);
    least += 0.05 + std::min(5 * call, c.sampling.max_time);
    most += 0.5 + std::max(1.3 * c.sampling.max_time, 8 * call);
  }
  return {least, most};
}

int dry_run(Plan const& plan) {
  for (std::vector<std::size_t> const& group : plan.groups) {
    for (std::size_t const i : group) {
      Case const& c = plan.cases[i];
      bool const share = std::any_of(c.values.begin(), c.values.end(), [](Value const& v) { return v.percent != 0; });
      std::cout << fmt::format("{:<60} {:>12}{}\n", c.name(), share ? "a share" : short_bytes(c.pattern->needs(c)),
                               c.skip.empty() ? "" : "  skipped: " + c.skip);
    }
  }
  auto const [least, most] = time_estimate(plan);
  std::cout << fmt::format("{} cases of {} problems, {} rules; {} to {}{}\n", plan.cases.size(), plan.groups.size(),
                           plan.rules.size(), short_time(least), short_time(most),
                           plan.run.budget > 0 ? ", at most " + short_time(plan.run.budget) : "");
  return exit_pass;
}

int profile(Plan const& plan, RunOptions const& options) {
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < plan.cases.size(); ++i) {
    if (plan.cases[i].name().find(options.profile) != std::string::npos) chosen.push_back(i);
  }
  if (!chosen.empty()) return profile_cases(plan, chosen, options.kokkos);
  std::vector<std::string> names;
  for (Case const& c : plan.cases) names.push_back(c.name());
  if (names.size() > 20) names.resize(20);
  std::cerr << fmt::format("the plan has no case {}{}\n", options.profile, nearest(options.profile, names));
  return exit_usage;
}

char const* words(Judgement judgement) {
  switch (judgement) {
    case Judgement::met: return "met";
    case Judgement::within_noise: return "met within noise";
    case Judgement::not_met: return "NOT MET";
    case Judgement::skipped: return "skipped";
  }
  return "";
}

/// What a run is and where it began: the first line of cases.jsonl. A resumed run must agree with it.
Json run_line(RunOptions const& options) {
  return {{"kind", "run"},
          {"started", utc_now()},
          {"only", options.input.only},
          {"redact", options.redact},
          {"kokkos_flags", options.kokkos},
          {"host", options.redact ? "hidden" : host_facts().name},
          {"git revision", git_revision()},
          {"spaces", build_spaces().spaces}};
}

/// A worker's account of what it runs on, without what --redact hides.
Json machine_line(Json line, bool redact) {
  for (auto& [name, value] : line["spaces"].items()) {
    if (redact && name.find("uuid") != std::string::npos) value = "hidden";
  }
  for (auto& [name, value] : line["environment"].items()) {
    if (redact && name.rfind("SLURM", 0) == 0) value = "hidden";
  }
  return line;
}

std::string text_of(std::filesystem::path const& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// Where the seconds of a run went. What is resumed counts from there on.
struct Account {
  double begin = monotonic_now();
  Spent spent;

  void add(Spent const& more) {
    spent.preparing += more.preparing;
    spent.warming_up += more.warming_up;
    spent.sampling += more.sampling;
    spent.verifying += more.verifying;
  }

  Json facts() const {
    return {{"seconds", monotonic_now() - begin},
            {"sampling", spent.sampling},
            {"warming_up", spent.warming_up},
            {"preparing", spent.preparing},
            {"verifying", spent.verifying}};
  }

  std::string text() const {
    double const all = monotonic_now() - begin;
    auto const percent = [&](double seconds) { return fmt::format("{:.0f} %", 100 * seconds / all); };
    return fmt::format("of {} samples took {}, warming up {}, buffers and inputs {}, verification {}", short_time(all),
                       percent(spent.sampling), percent(spent.warming_up), percent(spent.preparing),
                       percent(spent.verifying));
  }
};

Json document(Plan const& plan, std::string const& deck, Json const& header, Json const& machine,
              Account const& account, std::vector<Result> const& results, std::vector<Verdict> const& verdicts,
              std::string const& status) {
  Json json{{"schema", result_schema},   {"program", "tilestride"},
            {"title", plan.run.title},   {"started", header.at("started")},
            {"finished", utc_now()},     {"status", status},
            {"only", header.at("only")}, {"kokkos_flags", header.at("kokkos_flags")}};
  json["machine"] = Json::object();
  for (auto const& [name, value] : machine_facts())
    json["machine"][name] = name == "host" ? header.at("host") : Json(value);
  json["environment"] = machine.value("environment", Json::object());  // the worker's, which measured
  json["spaces"] = machine.value("spaces", Json::object());
  json["spent"] = account.facts();
  json["deck"] = deck;
  json["rules"] = Json::array();
  for (Verdict const& verdict : verdicts) {
    json["rules"].push_back(
        {{"rule", verdict.rule->text},
         {"judgement", words(verdict.judgement)},
         {"text", verdict.text},
         {"reached",
          {{"median", verdict.reached.median}, {"low", verdict.reached.low}, {"high", verdict.reached.high}}},
         {"at_least", verdict.rule->at_least}});
  }
  json["results"] = Json::array();
  for (Result const& result : results) json["results"].push_back(to_json(result));
  return json;
}

/// A file that a rule compares with is read before the run, not after it.
void check_reference(Rule const& rule) {
  if (rule.of != Rule::Of::file) return;
  try {
    read_references(rule.file);
  } catch (std::exception const& problem) {
    throw std::runtime_error(fmt::format("{}, which a rule compares with: {}", rule.file, problem.what()));
  }
}

void print_findings(std::vector<Result> const& results) {
  for (Pattern const& pattern : catalogue()) {
    std::vector<Result> own;
    std::copy_if(results.begin(), results.end(), std::back_inserter(own),
                 [&](Result const& r) { return r.planned->pattern == &pattern; });
    if (pattern.findings != nullptr) {
      for (std::string const& sentence : pattern.findings(own)) std::cout << "finding: " << sentence << "\n";
    }
    bool const on_hosts = std::any_of(own.begin(), own.end(), [](Result const& r) {
      return r.outcome == Outcome::passed && is_host_space(r.planned->space);
    });
    if (on_hosts && !pattern.on_hosts.empty())
      std::cout << fmt::format("on hosts: {}: {}\n", pattern.name, pattern.on_hosts);
  }
}

/// A case that the plan knows already to be impossible in this build.
Result skipped(Case const& c) {
  Result result;
  result.planned = &c;
  result.outcome = Outcome::skipped;
  result.reason = c.skip;
  return result;
}

/// The last word: exit code and status line.
struct Ending {
  int code = exit_pass;
  std::string line;
};

Ending ending(Tally const& t, std::vector<Verdict> const& verdicts, RunEnd const& end) {
  auto const count = [&](Judgement j) {
    return std::count_if(verdicts.begin(), verdicts.end(), [&](Verdict const& v) { return v.judgement == j; });
  };
  Ending e;
  if (end.signal != 0)
    e.code = 128 + end.signal;
  else if (t.failed + t.errors + t.not_run > 0)
    e.code = exit_failed;
  else if (t.passed == 0)
    e.code = exit_all_skipped;
  else if (count(Judgement::not_met) > 0)
    e.code = exit_expectation;
  char const* const word = e.code == exit_pass          ? "PASS"
                           : e.code == exit_all_skipped ? "SKIPPED"
                           : end.signal != 0            ? "INTERRUPTED"
                                                        : "FAIL";
  e.line = fmt::format(
      "RUN STATUS: {} passed={} failed={} errors={} skipped={} not_run={} rules_met={} rules_within_noise={} "
      "rules_not_met={}",
      word, t.passed, t.failed, t.errors, t.skipped, t.not_run, count(Judgement::met), count(Judgement::within_noise),
      count(Judgement::not_met));
  return e;
}

/// Turns --resume into the options of the run that it goes on with.
RunOptions resumed(RunOptions options) {
  if (options.output.empty()) throw std::runtime_error("--resume needs the folder to go on in: -o DIR");
  if (!options.input.only.empty() || !options.input.set.empty())
    throw std::runtime_error("--resume goes on with the run as it was: it takes neither --only nor --set");
  std::string const left = (std::filesystem::path(options.output) / "deck.toml").string();
  if (!std::filesystem::exists(left))
    throw std::runtime_error(fmt::format("{} holds no run to go on with", options.output));
  if (!options.input.deck.empty()) {
    auto const asked = read_and_plan(options.input), had = read_and_plan({left, {}, ""});
    auto const alike = [](Case const& a, Case const& b) { return a.name() == b.name() && a.sampling == b.sampling; };
    if (!asked || !had ||
        !std::equal(asked->cases.begin(), asked->cases.end(), had->cases.begin(), had->cases.end(), alike))
      throw std::runtime_error(
          fmt::format("{} was run with another deck; leave the deck out to go on with the old one", options.output));
  }
  options.input.deck = left;
  return options;
}

/// The first line of a run that is resumed, after checking that this is the machine and the program it began on.
Json header_of(std::vector<Json> const& lines, RunOptions& options) {
  auto const it =
      std::find_if(lines.begin(), lines.end(), [](Json const& line) { return line.value("kind", "") == "run"; });
  if (it == lines.end()) {  // killed before it was written: nothing had begun
    return run_line(options);
  }
  options.input.only = it->at("only");
  options.redact = it->at("redact");
  Json const now = run_line(options);
  for (char const* fact : {"host", "git revision", "spaces", "kokkos_flags"}) {
    if (now.at(fact) != it->at(fact))
      throw std::runtime_error(
          fmt::format("this run began with {} {}, and this is {}: its figures would not belong together", fact,
                      it->at(fact).dump(), now.at(fact).dump()));
  }
  return *it;
}

/// Measures what is still open, and returns what the last worker said it ran on.
RunEnd measure(Plan const& plan, RunOptions const& options, RunFolder& folder, Run& state,
               std::vector<std::size_t> const& todo, Json& machine, Account& account) {
  Progress progress(todo.size());
  Supervision supervision;
  supervision.command = {folder.deck().string()};
  if (!options.input.only.empty())
    supervision.command.insert(supervision.command.end(), {"--only", options.input.only});
  supervision.command.insert(supervision.command.end(), options.kokkos.begin(), options.kokkos.end());
  supervision.log = folder.log().string();
  supervision.budget = plan.run.budget;
  supervision.on_machine = [&](Json const& json) {
    machine = machine_line(json, options.redact);
    folder.append(machine);
  };
  supervision.on_spent = [&](Spent const& spent) { account.add(spent); };
  supervision.on_step = [&](std::size_t i, char const* phase) { progress.at(plan.cases[i], phase); };
  supervision.on_result = [&](std::size_t, Result const& result) {
    progress.make_way();
    state.record(result, true);
    progress.finished(result);
  };
  return supervise(plan, todo, supervision);
}

/// Report and judgement. Whatever happens to the files, people get to see the verdict.
int conclude(Plan const& plan, Json const& header, Json const& machine, RunFolder const& folder, Account const& account,
             std::vector<Result> const& results, RunEnd const& end) {
  std::cout << fom_lines(results);
  print_findings(results);
  std::cout << price_table(results) << quoted_table(results);
  auto const verdicts = judge(plan, results);
  for (Verdict const& verdict : verdicts)
    std::cout << fmt::format("expect {}: {}\n", words(verdict.judgement), verdict.text);
  if (!end.unavailable.empty()) std::cout << end.unavailable << "\n";
  Ending e = ending(tally(results), verdicts, end);
  try {
    folder.write_document(document(plan, text_of(folder.deck()), header, machine, account, results, verdicts, e.line));
  } catch (std::exception const& problem) {
    std::cerr << "tilestride: " << problem.what() << "\n";
    e = {exit_failed, fmt::format("RUN STATUS: FAIL the result document could not be written;{}",
                                  e.line.substr(e.line.find(" passed=")))};
  }
  std::cout << account.text() << "\n" << e.line << std::endl;
  return e.code;
}

int run_in(RunFolder& folder, Plan const& plan, RunOptions& options, std::vector<Json> const& earlier,
           Json const& header) {
  Account account;
  if (earlier.empty()) folder.append(header);
  auto const [least, most] = time_estimate(plan);
  std::cout << fmt::format("{}{}{} cases of {} problems, a guess: {} to {}; results in {}\n{}\n\n", plan.run.title,
                           plan.run.title.empty() ? "" : ": ", plan.cases.size(), plan.groups.size(), short_time(least),
                           short_time(most), folder.deck().parent_path().string(), table_legend());
  Run state(plan, folder);
  Json machine = Json::object();
  CaseIndex const index = index_cases(plan);
  std::vector<std::optional<Result>> had(plan.cases.size());
  for (Json const& line : earlier) {
    if (line.value("kind", "") == "machine") machine = line;
    auto const result = result_from_json(line, plan, index);
    if (result) had[static_cast<std::size_t>(result->planned - plan.cases.data())] = *result;
  }
  std::vector<std::size_t> todo;
  for (std::size_t i = 0; i < plan.cases.size(); ++i) {
    bool const settled = had[i] && (had[i]->outcome == Outcome::passed || had[i]->outcome == Outcome::failed);
    if (settled)
      state.record(*had[i], false);
    else if (!plan.cases[i].skip.empty())
      state.record(skipped(plan.cases[i]), true);
    else
      todo.push_back(i);  // an error or a skip is worth another try
  }
  RunEnd const end = measure(plan, options, folder, state, todo, machine, account);
  state.print_unfinished();
  return conclude(plan, header, machine, folder, account, state.results(), end);
}

}  // namespace

int run(RunOptions const& given) {
  // 1 and 2: read and plan. What is wrong up to here is the user's to mend.
  RunOptions options = given;
  std::optional<Plan> plan;
  std::optional<RunFolder> folder;
  std::vector<Json> earlier;
  Json header;
  try {
    if (given.resume) options = resumed(given);
    if (given.resume) {
      folder.emplace(RunFolder::resume(options.output));
      earlier = folder->lines();
    }
    header = header_of(earlier, options);
    plan = read_and_plan(options.input);
    if (!plan) return exit_usage;
    for (Rule const& rule : plan->rules) check_reference(rule);
    if (options.dump_deck) {
      std::cout << plan->resolved;
      return exit_pass;
    }
    if (options.dry_run) return dry_run(*plan);
    if (!options.profile.empty()) return profile(*plan, options);
    if (!folder) {
      if (options.output.empty())
        options.output =
            RunFolder::make_default(options.input.deck, options.redact ? "host" : host_facts().name).string();
      folder.emplace(RunFolder::create(options.output, plan->resolved));
    }
  } catch (std::exception const& problem) {
    std::cerr << "tilestride: " << problem.what() << "\n";
    return exit_usage;
  }

  // 3, 4 and 5: run, report, judge. What goes wrong from here on is a run that failed.
  try {
    return run_in(*folder, *plan, options, earlier, header);
  } catch (std::exception const& problem) {
    std::cerr << "tilestride: " << problem.what() << "\n";
    std::cout << "RUN STATUS: FAIL the run broke off; what was finished stands in "
              << folder->deck().parent_path().string() << " (--resume goes on)" << std::endl;
    return exit_failed;
  }
}

}  // namespace tilestride
