// SPDX-License-Identifier: BSD-3-Clause
#include "run/command_line.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <string>

#include "machine/build_info.hpp"
#include "model/text.hpp"

namespace tilestride {
namespace {

/// Separates the options of Kokkos.
std::vector<std::string> take_kokkos_flags(std::vector<std::string>& arguments) {
  auto const is_kokkos = [](std::string const& a) { return a.rfind("--kokkos-", 0) == 0; };
  std::vector<std::string> flags;
  std::copy_if(arguments.begin(), arguments.end(), std::back_inserter(flags), is_kokkos);
  arguments.erase(std::remove_if(arguments.begin(), arguments.end(), is_kokkos), arguments.end());
  return flags;
}

/// A script's variable that is not set must not mean "all".
CLI::Validator not_empty() {
  return {[](std::string& text) { return std::string(text.empty() ? "is empty" : ""); }, ""};
}

void add_deck_edits(CLI::App* command, DeckOptions& input) {
  command
      ->add_option(
          "--set", input.set,
          "KEY=VALUE: run.budget, sampling.max_time, case[0].shape (the first one), or a key of every [[case]]")
      ->take_all()
      ->allow_extra_args(false);
  command->add_option("--only", input.only, "keep the cases with this in their name")->check(not_empty());
}

void add_deck(CLI::App* command, DeckOptions& input, bool required) {
  command->add_option("DECK", input.deck, "the deck, a TOML file")->required(required);
  add_deck_edits(command, input);
}

/// CLI::Range alone lets NaN through.
CLI::Validator between(double least, double most) {
  CLI::Validator const number(
      [](std::string const& text) {
        return std::isnan(std::strtod(text.c_str(), nullptr)) ? text + " is no number" : "";
      },
      "");
  return CLI::Range(least, most) & number;
}

void add_compare(CLI::App* command, CompareOptions& compare) {
  command->add_option("RUN", compare.mine,
                      "results: result.json, or the folder of a run; several runs tell more than one");
  command->add_option("--to", compare.theirs, "the results to compare with");
  auto* const interleave =
      command
          ->add_option(
              "--interleave", compare.interleave,
              "PROGRAM PROGRAM DECK: measure the deck with both in turns, sample by sample, instead of reading "
              "results")
          ->expected(3);
  add_deck_edits(command, compare.input);
  command->add_option("--pairs", compare.pairs, "of processes to measure with --interleave (default 5)")
      ->check(CLI::Range(1, 100))
      ->needs(interleave);
  command
      ->add_option("--fail-below", compare.limit,
                   "exit 3 if a case is certainly slower than this ratio (default 1), or cannot be compared")
      ->check(between(0.01, 1.0));
  command
      ->add_option("--same-within", compare.same_within, "percent: smaller differences are of no interest (default 1)")
      ->check(between(0.0, 50.0));
  command->add_flag("--all", compare.all, "list every case, also those that are the same");
}

/// Either runs to read on both sides, or two programs and a deck.
void check_compare(CompareOptions const& compare) {
  bool const any_run = !compare.mine.empty() || !compare.theirs.empty();
  bool const both_sides = !compare.mine.empty() && !compare.theirs.empty();
  if (compare.interleave.empty() ? !both_sides : any_run)
    throw CLI::ValidationError("compare needs RUN… --to RUN…, or --interleave PROGRAM PROGRAM DECK");
  if (compare.interleave.empty() && (!compare.input.only.empty() || !compare.input.set.empty()))
    throw CLI::ValidationError("--only and --set change a deck that is measured: they need --interleave");
}

}  // namespace

std::optional<Command> parse_command_line(int argc, char** argv, int& exit_code) {
  CLI::App app{
      "tilestride measures memory and tiling ideas in Kokkos, in raw CUDA and in the vendor's library, side by side.",
      "tilestride"};
  app.footer(
      "Exit: 0 all passed or skipped and every rule met; 1 a case FAILED, ended in an error or was not run, or the "
      "output\n"
      "could not be written; 2 a mistake in the deck or on the command line; 3 a rule or a comparison was not met, or "
      "a "
      "rank\n"
      "is slow; 77 everything was skipped; 130 or 143 after SIGINT or SIGTERM.");
  app.require_subcommand(1);
  app.set_version_flag("--version", build_facts()[0].second + " (" + git_revision() + ")");

  Command command;
  CLI::App* const run_command = app.add_subcommand("run", "measure what a deck asks for");
  add_deck(run_command, command.run.input, false);
  run_command->add_option("-o,--output", command.run.output, "folder for the results (default: results/DECK-HOST-TIME)")
      ->check(not_empty());
  run_command->add_flag("--resume", command.run.resume, "go on with the run in the folder that -o names");
  run_command->add_flag("--dry-run", command.run.dry_run, "print the cases, their memory and the time they may take");
  run_command->add_flag("--dump-deck", command.run.dump_deck,
                        "print the deck with every default and the origin of each value");
  run_command->add_flag("--redact", command.run.redact,
                        "hide names of host and user, folders and device UUIDs in the results (not in worker.log)");
  run_command->add_option("--machine", command.run.machine,
                          "result.json of inputs/memory_card.toml on this machine: what models need to predict");
  CLI::Option* const ranks =
      run_command
          ->add_option("--ranks", command.run.ranks, "measure with so many processes at once, one for a GPU or socket")
          ->check(CLI::Range(1, 1'000'000));
  run_command->add_option("--launcher", command.run.launcher, "what starts the ranks; {} is their number")
      ->capture_default_str()
      ->needs(ranks);
  run_command
      ->add_option("--baseline", command.run.baseline,
                   "what each device reached before (tools/learn_baseline.py), for the screen of slow ranks")
      ->needs(ranks);
  run_command
      ->add_option("--profile", command.run.profile,
                   "launch the case of this name, or each whose name holds it, once, in this process, for a profiler")
      ->check(not_empty());
  CLI::Option* const quiet = run_command->add_flag("--quiet", command.run.quiet,
                                                   "no tables and no progress: warnings, FOM lines, rules, status");
  run_command->add_flag("--verbose", command.run.verbose, "skipped cases in the tables, FOM lines on a terminal too")
      ->excludes(quiet);
  run_command->footer(
      "Where standard output is no terminal, every figure is printed on a line of its own, too, for scripts:\n"
      "\"FOM CASE bandwidth = 14.2 GB/s\". Colours are for terminals, unless NO_COLOR is set or TERM is dumb.\n"
      "Flags that begin with --kokkos- are passed on.");

  CLI::App* const check_command = app.add_subcommand("check", "say what is wrong with a deck");
  add_deck(check_command, command.check, true);

  CLI::App* const check_result_command = app.add_subcommand(
      "check-result", "compute a result document again from its samples, and compare its seal: was it edited?");
  check_result_command->add_option("FILE", command.document, "result.json, or the folder of a run")->required();
  check_result_command->footer(
      "Exit: 0 all agrees; 3 something differs; 2 it is no result document.\n"
      "The seal is a set of checksums: it reveals an edit by hand, and is no signature.");

  CLI::App* const list_command =
      app.add_subcommand("list", "patterns, variants, keys, models; what this build can run");
  CLI::Option* const one_pattern = list_command->add_option("PATTERN", command.pattern, "only this one");
  list_command->add_flag("--json", command.json, "all of it, and what else a deck may say, as JSON")
      ->excludes(one_pattern);

  CLI::App* const compare_command =
      app.add_subcommand("compare", "say which cases became faster or slower, and how sure that is");
  add_compare(compare_command, command.compare);

  app.add_subcommand("info", "what this machine and this build are");

  CLI::App* const gather_command =
      app.add_subcommand("gather", "make the result of a run with --ranks from what its ranks have left");
  gather_command->add_option("DIR", command.run.output, "the folder of the run")->required();

  CLI::App* const rank_command = app.add_subcommand("rank", "")->group("");  // internal
  rank_command->add_option("DIR", command.run.output)->required();
  rank_command->add_option("LAUNCH", command.launch)->required();

  CLI::App* const worker_command = app.add_subcommand("worker", "")->group("");  // internal

  std::vector<std::string> arguments(argv + 1, argv + argc);
  if (auto const bad = std::find_if_not(arguments.begin(), arguments.end(), is_utf8); bad != arguments.end()) {
    complain("an argument is not UTF-8, which decks and results are: " + *bad);
    exit_code = exit_usage;
    return {};
  }
  command.run.arguments.assign(argv, argv + argc);
  command.run.kokkos = command.compare.kokkos = command.kokkos = take_kokkos_flags(arguments);
  std::reverse(arguments.begin(), arguments.end());  // as CLI11 wants them
  try {
    app.parse(arguments);
    if (run_command->parsed() && command.run.input.deck.empty() && !command.run.resume)
      throw CLI::RequiredError("DECK");
    if (compare_command->parsed()) check_compare(command.compare);
  } catch (CLI::ParseError const& error) {
    bool const asked = error.get_exit_code() == 0;  // for help or the version
    exit_code = asked ? exit_pass : exit_usage;
    if (asked)
      app.exit(error);
    else
      complain(std::string(error.what()) + "; run with --help for more information");
    return {};
  }
  command.name = run_command->parsed()            ? Command::Name::run
                 : check_command->parsed()        ? Command::Name::check
                 : check_result_command->parsed() ? Command::Name::check_result
                 : list_command->parsed()         ? Command::Name::list
                 : compare_command->parsed()      ? Command::Name::compare
                 : gather_command->parsed()       ? Command::Name::gather
                 : rank_command->parsed()         ? Command::Name::rank
                 : worker_command->parsed()       ? Command::Name::worker
                                                  : Command::Name::info;
  return command;
}

}  // namespace tilestride
