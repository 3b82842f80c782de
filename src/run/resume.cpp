// SPDX-License-Identifier: BSD-3-Clause
#include "run/resume.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <utility>

#include "machine/build_info.hpp"
#include "machine/environment.hpp"
#include "machine/host.hpp"
#include "model/text.hpp"
#include "process/supervisor.hpp"
#include "report/redaction.hpp"
#include "results/sha256.hpp"

namespace tilestride {
namespace {

[[noreturn]] void refuse_other(std::string const& fact, Json const& then, Json const& now) {
  throw std::runtime_error(
      fmt::format("this run began with {} {}, and this is {}: its figures would not belong together", fact,
                  to_line(then), to_line(now)));
}

/// What a line of each kind has at the least.
std::map<std::string, std::vector<std::pair<char const*, Json::value_t>>> const& kinds_of_lines() {
  using T = Json::value_t;
  static std::map<std::string, std::vector<std::pair<char const*, T>>> const kinds{
      {"run",
       {{"started", T::string},
        {"only", T::string},
        {"redact", T::boolean},
        {"kokkos_flags", T::array},
        {"conditions", T::object},
        {"unseen", T::object},
        {"tools", T::array},
        {"memory_card", T::string},
        {"ranks", T::object},
        {"host", T::string},
        {"program", T::string},
        {"git revision", T::string},
        {"spaces", T::array},
        {"deck", T::string}}},
      {"program", {{"program", T::string}, {"git revision", T::string}, {"sha256", T::string}, {"build", T::object}}},
      {"machine", {{"program", T::string}, {"spaces", T::object}, {"environment", T::object}}},
      {"case", {{"name", T::string}}}};
  return kinds;
}

bool is_whole(Json const& line) {
  if (!line.is_object() || !line.contains("kind") || !line.at("kind").is_string()) return false;
  auto const kind = kinds_of_lines().find(line.at("kind"));
  return kind != kinds_of_lines().end() &&
         std::all_of(kind->second.begin(), kind->second.end(), [&](auto const& field) {
           return line.contains(field.first) && line.at(field.first).type() == field.second;
         });
}

bool is_header(Json const& line) { return line.at("kind") == "run"; }

/// The lines of the folder that can be read; how many cannot is told.
std::vector<Json> whole_lines(RunFolder const& folder) {
  std::vector<Json> lines = folder.lines();
  auto const damaged = std::stable_partition(lines.begin(), lines.end(), is_whole);
  if (damaged != lines.end())
    complain(fmt::format("{} of {} lines of {} cannot be read; their cases are measured again", lines.end() - damaged,
                         lines.size(), folder.cases().string()));
  lines.erase(damaged, lines.end());
  return lines;
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

/// How many ranks there are, and what starts them unless it is to be hidden: it may name hosts. Empty without ranks.
Json ranks_of(RunOptions const& options) {
  if (options.ranks == 0) return Json::object();
  Json ranks{{"count", options.ranks}};
  if (!options.redact) ranks["launcher"] = options.launcher;
  return ranks;
}

/// The run goes on with as many ranks; a launcher may be named anew, since it may say on which hosts.
void take_ranks(RunOptions& options, Json const& ranks) {
  int const count = ranks.value("count", 0);
  if (options.ranks != 0 && options.ranks != count)
    throw std::runtime_error(fmt::format(
        "this run began with --ranks {}, and this is {}: its figures would not belong together", count, options.ranks));
  options.ranks = count;
  if (options.launcher == RunOptions{}.launcher) options.launcher = ranks.value("launcher", options.launcher);
}

}  // namespace

Json run_line(RunOptions const& options, std::string const& deck) {
  HostFacts const host = host_facts();
  Redaction const redaction = Redaction::of_this_machine(options.redact);
  Json conditions = Json::object();
  for (auto const& [name, value] : host.conditions()) conditions[name] = value;
  Environment const unseen = unseen_environment();
  return {{"kind", "run"},
          {"started", utc_now()},
          {"only", options.input.only},
          {"redact", options.redact},
          {"kokkos_flags", redaction.values(options.kokkos)},
          {"memory_card", options.machine.empty() ? "" : sha256_of_file(options.machine)},
          {"ranks", ranks_of(options)},
          {"host", options.redact ? "hidden" : host.name},
          {"conditions", conditions},
          {"unseen", options.redact ? redacted(unseen) : unseen},
          {"tools", redaction.values(loaded_tools(options.kokkos))},
          {"program", program_name()},
          {"git revision", git_revision()},
          {"spaces", build_spaces().spaces},
          {"deck", fingerprint(deck)}};
}

RunOptions resumed(RunOptions options, Programs const& programs) {
  if (options.output.empty()) throw std::runtime_error("--resume needs the folder to go on in: -o DIR");
  if (!options.input.only.empty() || !options.input.set.empty())
    throw std::runtime_error("--resume goes on with the run as it was: it takes neither --only nor --set");
  std::string const left = (std::filesystem::path(options.output) / "deck.toml").string();
  if (!std::filesystem::exists(left))
    throw std::runtime_error(fmt::format("{} holds no run to go on with", options.output));
  if (!options.input.deck.empty()) {
    Build const build = programs.build();
    auto const asked = read_and_plan(options.input, build), had = read_and_plan({left, {}, ""}, build);
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
  earlier.lines = whole_lines(folder);
  if (earlier.lines.empty()) return earlier;
  earlier.header = earlier.lines.front();
  if (!is_header(earlier.header) || std::count_if(earlier.lines.begin(), earlier.lines.end(), is_header) != 1)
    throw std::runtime_error(
        fmt::format("{} does not begin with one line that says what the run was: whether its figures belong together "
                    "cannot be known; name another folder with -o",
                    folder.cases().string()));
  options.input.only = earlier.header.at("only");
  options.redact = earlier.header.at("redact");
  take_ranks(options, earlier.header.at("ranks"));
  Json const now = Json::parse(to_line(run_line(options, folder.deck_text())));  // as it would be read back
  if (now.at("deck") != earlier.header.at("deck"))
    throw std::runtime_error(fmt::format("{} was edited after the run had begun: its figures would not belong together",
                                         folder.deck().string()));
  for (char const* fact :
       {"host", "program", "git revision", "spaces", "kokkos_flags", "conditions", "unseen", "tools", "memory_card"}) {
    if (now.at(fact) != earlier.header.at(fact)) refuse_other(fact, earlier.header.at(fact), now.at(fact));
  }
  return earlier;
}

void match_earlier(EarlierRun& earlier, Plan const& plan, Programs const& programs) {
  earlier.results.resize(plan.cases.size());
  CaseIndex const index = index_cases(plan);
  Json builds = Json::object();  // by the program's name, as recorded by the earlier run
  for (Json const& line : earlier.lines) {
    if (line.at("kind") == "program") builds[line.at("program").get<std::string>()] = line;
    auto const result = result_from_json(line, plan, index);
    if (result && builds.contains(result->program)) earlier.results[index.at(result->planned->name())] = *result;
  }
  Supervision supervision;
  Redaction const redaction = Redaction::of_this_machine(!earlier.header.is_null() && earlier.header.at("redact"));
  supervision.on_hello = [&](Program const& program, Json const& hello) {
    Json const& then = builds.at(program.name);
    if (then.at("build") != redaction.values(hello.at("build")))
      refuse_other(program.name, then.at("git revision"), hello.at("git revision"));
  };
  for (Program const& program : programs.all()) {
    if (!builds.contains(program.name)) continue;
    if (!program.is_own) greet(program, supervision);
    Json const then = builds.at(program.name).at("sha256"), now = sha256_of_file(program.path);
    if (then != now) refuse_other("executable of " + program.name, then, now);
  }
}

}  // namespace tilestride
