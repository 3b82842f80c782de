// SPDX-License-Identifier: BSD-3-Clause
#include "run/run.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>

#include "machine/environment.hpp"
#include "machine/host.hpp"
#include "machine/threads.hpp"
#include "measure/profile.hpp"
#include "model/spaces.hpp"
#include "model/text.hpp"
#include "model/units.hpp"
#include "patterns/catalogue.hpp"
#include "portable/bench.hpp"
#include "process/signals.hpp"
#include "process/supervisor.hpp"
#include "ranks/gather.hpp"
#include "ranks/rank_process.hpp"
#include "report/comparisons.hpp"
#include "report/conditions.hpp"
#include "report/document.hpp"
#include "report/ending.hpp"
#include "report/expect.hpp"
#include "report/progress.hpp"
#include "report/redaction.hpp"
#include "report/run_folder.hpp"
#include "report/table.hpp"
#include "report/terminal.hpp"
#include "results/read.hpp"
#include "results/references.hpp"
#include "results/sha256.hpp"
#include "run/estimate.hpp"
#include "run/rank_screen.hpp"
#include "run/results.hpp"
#include "run/resume.hpp"

namespace tilestride {
namespace {

/// The last line of a run: its status.
struct Ending {
  int code = exit_pass;
  std::string line;
};

class Run {
 public:
  explicit Run(RunOptions const& options) : options_(options) {}

  /// Returns an exit code if there is nothing to measure: the deck has mistakes, or only the plan was requested.
  std::optional<int> plan();
  /// The plan of a run whose ranks have left journals.
  void plan_gathered();
  void measure();
  /// Takes the results from the journals instead.
  void gather();
  void report() const;
  void judge();
  int conclude();

  RunFolder const& folder() const { return *folder_; }

 private:
  void take_card();
  void compare_with_card(Program const& program, Json const& spaces) const;
  void open_folder();
  void screen();
  std::vector<RankFacts> shown_ranks() const { return options_.redact ? redacted(ranks_) : ranks_; }
  int profile() const;
  std::vector<std::size_t> take_over_earlier();
  std::vector<Assignment> assignments(std::vector<std::size_t> const& todo) const;
  Supervision supervision(Progress& progress);
  void take_machine(Program const& program, Json const& machine);
  Json shown_machine(Json machine) const;
  void take_ranks(std::vector<RankFacts> const& ranks);
  void ask_required(std::vector<Assignment> const& asked);
  std::vector<std::string> unmet_requirements() const;
  Ending ending() const;
  void print_head() const;
  void print_last_lines(Ending const& ending, bool written) const;

  RunOptions options_;
  Programs programs_ = Programs::find();
  std::optional<Plan> plan_;
  std::optional<SignalScope> signals_;  ///< from the first file of the folder to the last
  std::optional<RunFolder> folder_;
  Json card_;                       ///< document of the memory card; null: none
  std::set<std::string> compared_;  ///< programs whose machine has been compared with the card's
  EarlierRun earlier_;
  RunRecord record_;
  double begin_ = monotonic_now();
  std::optional<RunResults> results_;
  RunEnd end_;
  std::vector<RankFacts> ranks_;
  std::optional<RankScreen> screen_;       ///< with ranks
  std::vector<std::string> not_repeated_;  ///< cases of slow ranks that went wrong when they were measured again
  std::vector<Verdict> verdicts_;
  Terminal out_ = terminal_of(STDOUT_FILENO);
  Redaction redaction_{false, {}};
};

// ---- plan

std::optional<int> Run::plan() {
  if (std::string const reason = why_under_launcher(); !reason.empty()) throw std::runtime_error(reason);
  if (options_.resume) {
    options_ = resumed(options_, programs_);
    folder_.emplace(RunFolder::resume(options_.output));
    earlier_ = read_earlier(*folder_, options_);
  }
  plan_ = read_and_plan(options_.input, programs_.build());
  if (!plan_) return exit_usage;
  if (options_.dump_deck) {
    std::cout << plan_->resolved;
    return exit_pass;
  }
  if (options_.dry_run) {
    print_plan(*plan_);
    return exit_pass;
  }
  if (!options_.profile.empty()) return profile();
  match_earlier(earlier_, *plan_, programs_);
  take_card();
  if (options_.ranks > 0) screen_.emplace(plan_->run, options_.baseline);
  open_folder();
  return {};
}

void Run::plan_gathered() {
  std::string const folder = options_.output;
  options_.input.deck = (std::filesystem::path(folder) / "deck.toml").string();
  folder_.emplace(RunFolder::resume(folder));
  if (std::filesystem::exists(folder_->document()))
    throw std::runtime_error(
        fmt::format("{} is there already: the run has written it itself", folder_->document().string()));
  for (Json const& line : folder_->lines()) {
    if (text_of(line, "kind") == "run") record_.header = line;
  }
  if (!record_.header.contains("ranks") || record_.header.at("ranks").empty())
    throw std::runtime_error(fmt::format("{} holds no run with --ranks", folder));
  options_.input.only = text_of(record_.header, "only");
  options_.redact = record_.header.value("redact", false);
  options_.ranks = record_.header.at("ranks").at("count");
  plan_ = read_and_plan(options_.input, programs_.build());
  if (!plan_) throw std::runtime_error(fmt::format("{} cannot be planned again", options_.input.deck));
  screen_.emplace(plan_->run, "");
  signals_.emplace();
  redaction_ = Redaction::of_this_machine(options_.redact);
  record_.deck = folder_->deck_text();
}

/// Whether the card has what only memory cards have of any space of the plan.
bool is_of_spaces(Card const& card, Plan const& plan) {
  return std::any_of(plan.cases.begin(), plan.cases.end(), [&](Case const& c) {
    return std::any_of(card.begin(), card.end(), [&](auto const& entry) {
      auto const& name = entry.first;
      auto const begins = [&](char const* pattern) { return name.rfind(pattern, 0) == 0; };
      return (begins("latency/") || begins("bandwidth/") || begins("steps/")) &&
             name.find("/" + c.space + "/") != std::string::npos;
    });
  });
}

/// What models need of the machine goes with the cases.
void Run::take_card() try {
  if (options_.machine.empty()) return;
  card_ = read_document(options_.machine);
  auto const card = std::make_shared<Card const>(card_of(card_));
  if (!is_of_spaces(*card, *plan_))
    throw std::runtime_error("has no latency, bandwidth or step of a space of this run: it is no memory card of it");
  for (Case& c : plan_->cases) c.card = card;
} catch (std::runtime_error const& problem) {
  throw std::runtime_error(fmt::format("--machine {}: {}", options_.machine, problem.what()));
}

/// A card of another CPU or device predicts what that one would take.
void Run::compare_with_card(Program const& program, Json const& spaces) const {
  if (card_.is_null()) return;
  for (std::string const& space : program.spaces) {
    std::string const here = is_host_space(space) ? host_facts().cpu : spaces.value(space + ": device", std::string());
    std::string const there = measured_on(card_, space);
    if (!here.empty() && !there.empty() && here != there) {
      complain(
          fmt::format("--machine {}: {} was measured on {}, and this is {}: the predictions are not for this machine",
                      options_.machine, space, there, here));
    }
  }
}

void Run::open_folder() {
  signals_.emplace();
  redaction_ = Redaction::of_this_machine(options_.redact);
  record_.header = earlier_.header;
  if (!folder_) {
    std::string const deck = redaction_.deck(plan_->resolved);
    record_.header = run_line(options_, deck);
    if (options_.output.empty())
      options_.output =
          RunFolder::make_default(options_.input.deck, options_.redact ? "host" : host_facts().name).string();
    folder_.emplace(RunFolder::create(options_.output, deck, record_.header));
  } else if (record_.header.is_null()) {
    record_.header = run_line(options_, folder_->deck_text());
    folder_->append(record_.header);
  }
  record_.deck = folder_->deck_text();
}

/// The case of that name, or each whose name holds the text, once, in this process or in the program of its space.
int Run::profile() const {
  std::vector<Case> chosen;
  std::vector<std::string> names;
  for (Case const& c : plan_->cases) names.push_back(c.name());
  bool const is_whole = std::find(names.begin(), names.end(), options_.profile) != names.end();
  for (std::size_t i = 0; i < names.size(); ++i) {
    bool const wanted = is_whole ? names[i] == options_.profile : names[i].find(options_.profile) != std::string::npos;
    if (wanted) chosen.push_back(plan_->cases[i]);
  }
  if (chosen.empty()) {
    if (names.size() > 20) names.resize(20);
    complain(fmt::format("the plan has no case {}{}", options_.profile, nearest(options_.profile, names)));
    return exit_usage;
  }
  Program const* const program = programs_.for_space(chosen.front().space);
  for (Case const& c : chosen) {
    if (programs_.for_space(c.space) != program)
      throw std::runtime_error("the cases to profile belong to several programs: name those of one space");
  }
  if (program != nullptr && !program->is_own) {
    std::vector<char*> argv;
    for (std::string const& argument : options_.arguments) argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    execv(program->path.c_str(), argv.data());
    throw std::runtime_error(fmt::format("{} cannot be started: {}", program->path, std::strerror(errno)));
  }
  std::string reason = why_no_device();
  if (reason.empty()) reason = why_too_many_threads(options_.kokkos);
  if (!reason.empty()) {
    complain(reason);
    return exit_all_skipped;
  }
  KokkosScope const kokkos(options_.kokkos);
  Profiled const count = profile_cases(chosen, open_bench);
  return count.failed > 0 ? exit_failed : count.verified == 0 ? exit_all_skipped : exit_pass;
}

// ---- measure

/// The result of a case that the plan already skips.
Result skipped_case(Case const& c) {
  Result result;
  result.planned = &c;
  result.outcome = Outcome::skipped;
  result.reason = c.skip->words;
  result.skip_reason = c.skip->reason;
  return result;
}

/// The facts of a program's spaces without those hidden by --redact.
Json without_uuids(Json facts) {
  for (auto& [name, value] : facts.items()) {
    if (name.find("uuid") != std::string::npos) value = "hidden";
  }
  return facts;
}

/// Records the results that are known before any worker starts, and returns the remaining cases.
std::vector<std::size_t> Run::take_over_earlier() {
  for (Json const& line : earlier_.lines) {
    if (line.at("kind") == "program") {
      Json& program = record_.programs[line.at("program").get<std::string>()];
      program["build"] = line.at("build");
      program["sha256"] = line.at("sha256");
    }
    if (line.at("kind") == "machine") {
      record_.programs[line.at("program").get<std::string>()]["spaces"] = line.at("spaces");
      record_.environment = line.at("environment");
    }
  }
  std::vector<std::size_t> todo;
  for (std::size_t i = 0; i < plan_->cases.size(); ++i) {
    auto const& had = earlier_.results[i];
    bool const settled = had && (had->outcome == Outcome::passed || had->outcome == Outcome::failed);
    if (settled) {
      results_->record(i, *had);
    } else if (caught_signal() != 0) {
      continue;  // not run
    } else if (plan_->cases[i].skip) {
      Result const result = skipped_case(plan_->cases[i]);
      folder_->append(to_json(redaction_.result(result)));
      results_->record(i, result);
    } else {
      todo.push_back(i);  // errors and skips are tried again
    }
  }
  return todo;
}

/// Program by program, in the order in which the plan first needs them.
std::vector<Assignment> Run::assignments(std::vector<std::size_t> const& todo) const {
  std::vector<Assignment> all;
  for (std::size_t const i : todo) {
    Case const& c = plan_->cases[i];
    Program const* const program = programs_.for_space(c.space);
    auto it = std::find_if(all.begin(), all.end(), [&](Assignment const& a) { return a.program == program; });
    if (it == all.end()) it = all.insert(all.end(), {program, {}, 0});
    it->cases.push_back(i);
    it->seconds += time_estimate(c).middle();
  }
  return all;
}

Json Run::shown_machine(Json machine) const {
  if (options_.redact) {
    machine["spaces"] = redaction_.values(without_uuids(machine["spaces"]));
    machine["environment"] = redacted(machine["environment"].get<Environment>());
  }
  return machine;
}

void Run::take_ranks(std::vector<RankFacts> const& ranks) {
  ranks_ = joined(ranks_, ranks);
  for (RankFacts const& rank : ranks_) redaction_.hide_host(rank.host);
}

void Run::take_machine(Program const& program, Json const& machine) {
  if (compared_.insert(program.name).second) compare_with_card(program, machine.at("spaces"));
  Json line = shown_machine(machine);
  line["program"] = program.name;
  folder_->append(line);
  record_.programs[program.name]["spaces"] = line["spaces"];
  record_.environment = line["environment"];
}

Supervision Run::supervision(Progress& progress) {
  Supervision supervision;
  supervision.kokkos = options_.kokkos;
  supervision.log = folder_->log().string();
  supervision.budget = plan_->run.budget;
  supervision.clean_environment = plan_->run.clean_environment;
  if (options_.ranks > 0)
    supervision.ranks =
        RankLaunch{options_.ranks, options_.launcher, folder_->path().string(), plan_->run.one_by_one, options_.redact};
  supervision.on_ranks = [this](std::vector<RankFacts> const& ranks) { take_ranks(ranks); };
  supervision.on_hello = [this](Program const& program, Json const& hello) {
    if (record_.programs[program.name].contains("build")) return;
    Json const line{{"kind", "program"},
                    {"program", program.name},
                    {"git revision", hello.at("git revision")},
                    {"sha256", sha256_of_file(program.path)},
                    {"build", redaction_.values(hello.at("build"))}};
    folder_->append(line);
    record_.programs[program.name]["build"] = line.at("build");
    record_.programs[program.name]["sha256"] = line.at("sha256");
  };
  supervision.on_machine = [this](Program const& program, Json const& machine) { take_machine(program, machine); };
  supervision.on_times = [this](PhaseTimes const& more) {
    record_.times.preparing += more.preparing;
    record_.times.warming_up += more.warming_up;
    record_.times.sampling += more.sampling;
    record_.times.verifying += more.verifying;
  };
  supervision.on_step = [&progress](Case const& c, char const* phase) { progress.at(c, phase); };
  supervision.on_result = [this, &progress](std::size_t i, Result const& result) {
    progress.make_way();
    folder_->append(to_json(redaction_.result(result)));
    progress.finished(result, time_estimate(plan_->cases[i]).middle());
    results_->record(i, result);
  };
  return supervision;
}

/// Slow ranks, which a repeat of their cases must confirm, where the budget has time for it.
void Run::screen() {
  screen_->look(results_->all(), ranks_, [this](std::vector<std::size_t> const& cases) {
    std::vector<Result> again = results_->all();
    for (std::size_t const i : cases) again[i].ranks.reset();
    Progress progress(cases.size(), 0, !options_.quiet);
    Supervision repeat = supervision(progress);
    if (repeat.budget > 0) {
      repeat.budget -= monotonic_now() - begin_;
      if (repeat.budget <= 0) return again;
    }
    repeat.on_result = [&](std::size_t i, Result const& result) {
      again[i] = result;
      if (result.outcome != Outcome::passed)
        not_repeated_.push_back(redaction_.text(
            fmt::format("{} went wrong when it was measured again: {}", result.planned->name(), result.reason)));
    };
    supervise(*plan_, assignments(cases), repeat);
    return again;
  });
}

void Run::gather() {
  std::optional<TableStyle> style = TableStyle{options_.verbose, out_.colour};
  results_.emplace(*plan_, style);
  Gathered const gathered = gather_journals(folder_->path().string(), static_cast<std::size_t>(options_.ranks), *plan_,
                                            index_cases(*plan_), options_.redact);
  take_ranks(gathered.ranks);
  for (auto const& [program, hello] : gathered.hellos)
    record_.programs[program]["build"] = redaction_.values(hello.value("build", Json::object()));
  for (auto const& [program, machine] : gathered.machines) {
    Json const shown = shown_machine(machine);
    record_.programs[program]["spaces"] = shown.at("spaces");
    record_.environment = shown.at("environment");
  }
  for (auto const& [i, result] : gathered.results) results_->record(i, result);
  screen_->look(results_->all(), ranks_, [](auto const&) { return std::vector<Result>(); });
}

/// What the run is, and what may change its figures.
void Run::print_head() const {
  std::string const conditions = condition_lines(record_.header, plan_->run.clean_environment);
  if (options_.quiet) {
    std::cout << conditions << std::flush;
    return;
  }
  auto const [least, most] = time_estimate(*plan_);
  std::cout << fmt::format("{}{}{} cases of {} problems, about {} to {}; results in {}\n{}\n",
                           printable(plan_->run.title), plan_->run.title.empty() ? "" : ": ", plan_->cases.size(),
                           plan_->groups.size(), short_time(least), short_time(most),
                           printable(folder_->path().string()), conditions)
            << std::flush;
}

void Run::measure() {
  print_head();
  std::optional<TableStyle> style;
  if (!options_.quiet) style = TableStyle{options_.verbose, out_.colour};
  results_.emplace(*plan_, style);
  if (options_.resume && screen_) {
    auto const count = static_cast<std::size_t>(options_.ranks);
    take_ranks(gather_journals(folder_->path().string(), count, *plan_, {}, options_.redact).ranks);
  }
  std::vector<Assignment> const work = assignments(take_over_earlier());
  std::size_t cases = 0;
  double seconds = 0;
  for (Assignment const& assignment : work) {
    cases += assignment.cases.size();
    seconds += assignment.seconds;
  }
  Progress progress(cases, seconds, !options_.quiet);
  end_ = supervise(*plan_, work, supervision(progress));
  ask_required(work);
  if (screen_ && caught_signal() == 0) screen();
}

/// Whether the required spaces that no case uses could be used.
void Run::ask_required(std::vector<Assignment> const& asked) {
  for (std::string const& space : plan_->run.require) {
    Program const* const program = programs_.for_space(space);
    bool const known =
        std::any_of(asked.begin(), asked.end(), [&](Assignment const& a) { return a.program == program; });
    if (program == nullptr || known || caught_signal() != 0) continue;
    Supervision supervision;
    supervision.kokkos = options_.kokkos;
    supervision.log = folder_->log().string();
    if (std::string const reason = describe_machine(*program, supervision); !reason.empty())
      end_.unavailable.emplace_back(program, reason);
  }
}

// ---- report, judge

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

void Run::report() const {
  std::vector<Result> const& results = results_->all();
  results_->print_unfinished();
  if (!options_.quiet) std::cout << painted(table_legend(results), Ink::dim, out_.colour);
  if (!out_.is_one || options_.quiet || options_.verbose) std::cout << fom_lines(results);
  if (!options_.quiet) {
    print_findings(results);
    std::cout << price_table(results) << published_table(results);
  }
  std::vector<std::string> const warnings = misplaced(ranks_);
  std::size_t const most =
      std::min<std::size_t>(warnings.size(), 8);  // a line for each host of a large machine is noise
  for (std::size_t i = 0; i < most; ++i) std::cout << "warning: " << warnings[i] << "\n";
  if (most < warnings.size()) std::cout << fmt::format("warning: {} more of this kind\n", warnings.size() - most);
  for (std::string const& line : not_repeated_) std::cout << printable(line) << "\n";
  if (screen_) {
    for (std::string const& line : screen_->lines(results, shown_ranks())) std::cout << printable(line) << "\n";
  }
  std::cout << skip_line(results);
  for (auto const& [program, reason] : end_.unavailable)
    std::cout << fmt::format("{} cannot be used: {}\n", program->name, printable(reason));
}

Ink ink_of(Judgement judgement) { return judgement == Judgement::not_met ? Ink::bad : Ink::plain; }

void Run::judge() {
  verdicts_ = tilestride::judge(*plan_, results_->all());
  for (Verdict const& verdict : verdicts_) {
    std::cout << fmt::format("expect {}: {}\n",
                             painted(name_of(verdict.judgement), ink_of(verdict.judgement), out_.colour),
                             printable(verdict.text));
  }
  for (std::string const& requirement : unmet_requirements()) std::cout << printable(requirement) << "\n";
}

/// The spaces of `[run] require` that cannot be used, in words.
std::vector<std::string> Run::unmet_requirements() const {
  std::vector<std::string> unmet;
  for (std::string const& space : plan_->run.require) {
    Program const* const program = programs_.for_space(space);
    std::string reason = program == nullptr ? "no program here has it" : "";
    for (auto const& [unavailable, why] : end_.unavailable) {
      if (unavailable == program) reason = why;
    }
    if (!reason.empty()) unmet.push_back(fmt::format("required space {} cannot be used: {}", space, reason));
  }
  return unmet;
}

// ---- conclude

Ending Run::ending() const {
  Tally const t = tally(results_->all());
  RuleTally const rules = tally(verdicts_);
  int const signal = caught_signal();
  Ending e;
  if (signal != 0)
    e.code = 128 + signal;
  else if (t.failed + t.errors + t.not_run > 0 || !unmet_requirements().empty() || !not_repeated_.empty())
    e.code = exit_failed;
  else if (rules.not_met > 0 || (screen_ && screen_->named_any()))
    e.code = exit_expectation;
  else if (t.passed == 0)
    e.code = exit_all_skipped;
  char const* const word = e.code == exit_pass          ? "PASS"
                           : e.code == exit_all_skipped ? "SKIPPED"
                           : signal != 0                ? "INTERRUPTED"
                                                        : "FAIL";
  e.line = status_line(word, t, rules);
  return e;
}

/// "of 25 s samples took 78 %, …".
std::string account(RunRecord const& record) {
  auto const percent = [&](double seconds) { return fmt::format("{:.0f} %", 100 * seconds / record.seconds); };
  return fmt::format("of {} samples took {}, warming up {}, buffers and inputs {}, verification {}",
                     short_time(record.seconds), percent(record.times.sampling), percent(record.times.warming_up),
                     percent(record.times.preparing), percent(record.times.verifying));
}

/// Where the results are, what can be done with them, and the status.
void Run::print_last_lines(Ending const& e, bool written) const {
  if (!options_.quiet && record_.times.sampling > 0)
    std::cout << painted(account(record_), Ink::dim, out_.colour) << "\n";
  if (written) std::cout << "results: " << printable(folder_->document().string()) << "\n";
  if (written && !options_.quiet && tally(results_->all()).passed > 0)
    std::cout << next_steps(folder_->document().string());
  if (caught_signal() != 0)
    std::cout << "to go on with it:     tilestride run --resume -o " << printable(folder_->path().string()) << "\n";
  std::string const label = "RUN STATUS: ";
  auto const end = e.line.find(' ', label.size());
  Ink const ink = e.code == exit_pass ? Ink::good : e.code == exit_all_skipped ? Ink::plain : Ink::bad;
  std::cout << label << painted(e.line.substr(label.size(), end - label.size()), ink, out_.colour) << e.line.substr(end)
            << "\n"
            << std::flush;
}

/// The verdict is printed even if writing the files fails.
int Run::conclude() {
  record_.seconds = monotonic_now() - begin_;
  Ending e = ending();
  bool const known = std::any_of(ranks_.begin(), ranks_.end(), [](RankFacts const& r) { return !r.host.empty(); });
  if (screen_ && known) {
    record_.ranks = to_json(shown_ranks());
    record_.screen = screen_->json();
    record_.slow_messages = screen_->json_of_messages(shown_ranks());
  }
  bool written = true;
  try {
    folder_->write_document(document(*plan_, record_, results_->all(), verdicts_, e.line, redaction_));
  } catch (std::exception const& problem) {
    written = false;
    complain(problem.what());
    e = {exit_failed, fmt::format("RUN STATUS: FAIL the result document could not be written;{}",
                                  e.line.substr(e.line.find(" passed=")))};
  }
  print_last_lines(e, written);
  return e.code;
}

}  // namespace

namespace {

/// What follows when the results are there; `measure` gets them.
int concluded(Run& run, void (Run::*measure)()) try {
  (run.*measure)();
  run.report();
  run.judge();
  return run.conclude();
} catch (std::exception const& problem) {
  complain(problem.what());
  std::cout << "RUN STATUS: FAIL the run broke off; what was finished stands in "
            << printable(run.folder().path().string()) << " (--resume goes on)\n"
            << std::flush;
  return exit_failed;
}

}  // namespace

int gather(RunOptions const& options) {
  Run run(options);
  try {
    run.plan_gathered();
  } catch (std::exception const& problem) {
    complain(problem.what());
    return exit_usage;
  }
  return concluded(run, &Run::gather);
}

int run(RunOptions const& options) {
  Run run(options);
  try {
    if (auto const code = run.plan()) return *code;
  } catch (std::exception const& problem) {  // errors before this point are for the user to correct
    complain(problem.what());
    return exit_usage;
  }
  return concluded(run, &Run::measure);
}

}  // namespace tilestride
