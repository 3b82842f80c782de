// SPDX-License-Identifier: BSD-3-Clause
#include <fcntl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <iostream>

#include "commands.hpp"
#include "harness/build_info.hpp"

namespace {

/// The kernels are compiled for one CPU; on another they would die of SIGILL somewhere. Nothing but C before this has
/// run.
bool runs_on_this_cpu() {
  bool fits = true;
  for (auto const& feature : tilestride::host_features()) {
    if (feature.here) continue;
    std::fprintf(stderr,
                 "tilestride: this CPU has no %s, which this build was compiled for; configure with "
                 "-DTILESTRIDE_HOST_ARCH=x86-64-v3\n",
                 feature.name);
    fits = false;
  }
  return fits;
}

/// Standard streams that the caller has closed become /dev/null: files opened later must not take their numbers.
void open_standard_streams() {
  int descriptor = open("/dev/null", O_RDWR);
  while (descriptor >= 0 && descriptor <= STDERR_FILENO) descriptor = open("/dev/null", O_RDWR);
  if (descriptor > STDERR_FILENO) close(descriptor);
}

/// Splits off what belongs to Kokkos.
std::vector<std::string> take_kokkos_flags(std::vector<std::string>& arguments) {
  auto const is_kokkos = [](std::string const& a) { return a.rfind("--kokkos-", 0) == 0; };
  std::vector<std::string> flags;
  std::copy_if(arguments.begin(), arguments.end(), std::back_inserter(flags), is_kokkos);
  arguments.erase(std::remove_if(arguments.begin(), arguments.end(), is_kokkos), arguments.end());
  return flags;
}

void add_deck(CLI::App* command, tilestride::DeckOptions& input, bool required) {
  command->add_option("DECK", input.deck, "the deck, a TOML file")->required(required);
  command
      ->add_option("--set", input.set,
                   "KEY=VALUE: run.budget, sampling.max_time, case[2].shape, or a key of every [[case]]")
      ->take_all()
      ->allow_extra_args(false);
  command->add_option("--only", input.only, "keep the cases with this in their name");
}

}  // namespace

int main(int argc, char** argv) {
  using namespace tilestride;
  if (!runs_on_this_cpu()) return exit_usage;
  open_standard_streams();

  CLI::App app{
      "tilestride measures memory and tiling ideas in Kokkos, in raw CUDA and in the vendor's library, side by side.",
      "tilestride"};
  app.footer(
      "Exit: 0 all passed or skipped and every rule met; 1 a case FAILED, ended in an error or was not run; 2 a "
      "mistake in the deck\n"
      "or on the command line; 3 a rule was not met; 77 everything was skipped; 130 or 143 after SIGINT or SIGTERM.");
  app.require_subcommand(1);
  app.set_version_flag("--version", build_facts()[0].second + " (" + git_revision() + ")");

  RunOptions run_options;
  CLI::App* const run_command = app.add_subcommand("run", "measure what a deck asks for");
  add_deck(run_command, run_options.input, false);
  run_command->add_option("-o,--output", run_options.output,
                          "folder for the results (default: results/DECK-HOST-TIME)");
  run_command->add_flag("--resume", run_options.resume, "go on with the run in the folder that -o names");
  run_command->add_flag("--dry-run", run_options.dry_run, "print the cases, their memory and the time they may take");
  run_command->add_flag("--dump-deck", run_options.dump_deck,
                        "print the deck with every default and the origin of each value");
  run_command->add_flag("--redact", run_options.redact, "hide host names and device UUIDs in the results");
  run_command->add_option("--profile", run_options.profile,
                          "launch each case whose name holds this once, in this process, for a profiler");
  run_command->footer("Flags that begin with --kokkos- are passed on.");

  DeckOptions check_options;
  CLI::App* const check_command = app.add_subcommand("check", "say what is wrong with a deck");
  add_deck(check_command, check_options, true);

  std::string pattern;
  CLI::App* const list_command =
      app.add_subcommand("list", "patterns, variants, keys, models; what this build can run");
  list_command->add_option("PATTERN", pattern, "only this one");

  CLI::App* const info_command = app.add_subcommand("info", "what this machine and this build are");

  WorkerArguments worker_arguments;
  CLI::App* const worker_command = app.add_subcommand("worker", "")->group("");
  add_deck(worker_command, worker_arguments.input, false);
  worker_command->add_option("--output-fd", worker_arguments.output)->required();
  worker_command->add_option("--beacon-fd", worker_arguments.beacon)->required();
  worker_command->add_option("--until", worker_arguments.until);

  std::vector<std::string> arguments(argv + 1, argv + argc);
  run_options.kokkos = worker_arguments.kokkos = take_kokkos_flags(arguments);
  std::reverse(arguments.begin(), arguments.end());  // as CLI11 wants them
  try {
    app.parse(arguments);
    if (run_command->parsed() && run_options.input.deck.empty() && !run_options.resume)
      throw CLI::RequiredError("DECK");
  } catch (CLI::ParseError const& error) {
    return app.exit(error) == 0 ? exit_pass : exit_usage;
  }
  try {
    if (run_command->parsed()) return run(run_options);
    if (check_command->parsed()) return check(check_options);
    if (list_command->parsed()) return list(pattern);
    if (info_command->parsed()) return info();
    return worker(worker_arguments);
  } catch (std::exception const& problem) {
    std::cerr << "tilestride: " << problem.what() << "\n";
    return exit_failed;
  }
}
