// SPDX-License-Identifier: BSD-3-Clause
#include "run/resume.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "machine/build_info.hpp"
#include "machine/environment.hpp"
#include "machine/host.hpp"
#include "process/supervisor.hpp"

namespace tilestride {
namespace {

[[noreturn]] void refuse_other(std::string const& fact, Json const& then, Json const& now) {
  throw std::runtime_error(
      fmt::format("this run began with {} {}, and this is {}: its figures would not belong together", fact, then.dump(),
                  now.dump()));
}

/// What is loaded beside the variables' tools.
std::vector<std::string> loaded_tools(std::vector<std::string> const& kokkos_flags) {
  std::vector<std::string> tools;
  for (std::string const& flag : kokkos_flags) {
    if (flag.rfind("--kokkos-tools-lib", 0) == 0) tools.push_back("a Kokkos tool by " + flag.substr(0, flag.find('=')));
  }
  if (std::string const name = tracer(); !name.empty()) tools.push_back("traced by " + name);
  return tools;
}

}  // namespace

Json run_line(RunOptions const& options) {
  HostFacts const host = host_facts();
  Json conditions = Json::object();
  for (auto const& [name, value] : host.conditions()) conditions[name] = value;
  Environment const unseen = unseen_environment();
  return {{"kind", "run"},
          {"started", utc_now()},
          {"only", options.input.only},
          {"redact", options.redact},
          {"kokkos_flags", options.kokkos},
          {"host", options.redact ? "hidden" : host.name},
          {"conditions", conditions},
          {"unseen", options.redact ? redacted(unseen) : unseen},
          {"tools", loaded_tools(options.kokkos)},
          {"program", program_name()},
          {"git revision", git_revision()},
          {"spaces", build_spaces().spaces}};
}

RunOptions resumed(RunOptions options, Programs const& programs) {
  if (options.output.empty()) throw std::runtime_error("--resume needs the folder to go on in: -o DIR");
  if (!options.input.only.empty() || !options.input.set.empty())
    throw std::runtime_error("--resume goes on with the run as it was: it takes neither --only nor --set");
  std::string const left = (std::filesystem::path(options.output) / "deck.toml").string();
  if (!std::filesystem::exists(left))
    throw std::runtime_error(fmt::format("{} holds no run to go on with", options.output));
  if (!options.input.deck.empty()) {
    auto const asked = read_and_plan(options.input, programs), had = read_and_plan({left, {}, ""}, programs);
    auto const alike = [](Case const& a, Case const& b) { return a.name() == b.name() && a.sampling == b.sampling; };
    if (!asked || !had ||
        !std::equal(asked->cases.begin(), asked->cases.end(), had->cases.begin(), had->cases.end(), alike))
      throw std::runtime_error(
          fmt::format("{} was run with another deck; leave the deck out to go on with the old one", options.output));
  }
  options.input.deck = left;
  return options;
}

EarlierRun read_earlier(RunFolder const& folder, RunOptions& options) {
  EarlierRun earlier;
  earlier.lines = folder.lines();
  auto const it = std::find_if(earlier.lines.begin(), earlier.lines.end(),
                               [](Json const& line) { return line.value("kind", "") == "run"; });
  if (it == earlier.lines.end()) {  // killed before the header was written: no case was measured
    earlier.header = run_line(options);
    return earlier;
  }
  options.input.only = it->at("only");
  options.redact = it->at("redact");
  Json const now = Json::parse(to_line(run_line(options)));  // as it would be read back
  for (char const* fact :
       {"host", "program", "git revision", "spaces", "kokkos_flags", "conditions", "unseen", "tools"}) {
    if (Json const then = it->value(fact, Json()); now.at(fact) != then) refuse_other(fact, then, now.at(fact));
  }
  earlier.header = *it;
  return earlier;
}

void match_earlier(EarlierRun& earlier, Plan const& plan, Programs const& programs) {
  earlier.results.resize(plan.cases.size());
  CaseIndex const index = index_cases(plan);
  Json siblings = Json::object();  // by name, as recorded by the earlier run
  for (Json const& line : earlier.lines) {
    if (line.value("kind", "") == "program") siblings[line.value("program", "")] = line;
    if (auto const result = result_from_json(line, plan, index))
      earlier.results[index.at(result->planned->name())] = *result;
  }
  Supervision supervision;
  supervision.on_hello = [&](Program const& program, Json const& hello) {
    Json const& then = siblings.at(program.name);
    if (then.at("build") != hello.at("build"))
      refuse_other(program.name, then.at("git revision"), hello.at("git revision"));
  };
  for (Program const& program : programs.all()) {
    if (!program.is_own && siblings.contains(program.name)) greet(program, supervision);
  }
}

}  // namespace tilestride
