// SPDX-License-Identifier: BSD-3-Clause
#include "commands.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <iostream>
#include <set>

#include "catalogue.hpp"
#include "deck/units.hpp"
#include "harness/build_info.hpp"
#include "harness/machine.hpp"
#include "harness/supervisor.hpp"
#include "harness/worker.hpp"
#include "report/json.hpp"

namespace tilestride {

std::optional<Plan> read_and_plan(DeckOptions const& options) {
  std::vector<Mistake> mistakes;
  Deck deck = read_deck(options.deck, mistakes);
  Plan plan;
  if (mistakes.empty()) {
    for (std::string const& assignment : options.set) set_in_deck(deck, assignment, mistakes);
    plan = make_plan(deck, catalogue(), build_spaces(), options.only, mistakes);
  }
  if (mistakes.empty()) return plan;
  std::cerr << describe(mistakes, deck);
  return {};
}

int check(DeckOptions const& options) {
  auto const plan = read_and_plan(options);
  if (!plan) return exit_usage;
  std::cout << fmt::format("{}: {} cases of {} problems, {} rules\n", options.deck, plan->cases.size(),
                           plan->groups.size(), plan->rules.size());
  return exit_pass;
}

namespace {

std::string role_of(Variant const& variant) {
  switch (variant.role) {
    case Role::solution: return "";
    case Role::native: return variant.twin.empty() ? " (native)" : fmt::format(" (native, twin of {})", variant.twin);
    case Role::bound: return " (a bound)";
    case Role::library: return " (a library)";
  }
  return "";
}

void list_pattern(Pattern const& pattern) {
  std::vector<std::string> types;
  for (Type const type : pattern.types) types.emplace_back(name_of(type));
  std::cout << fmt::format("{}: {}\n  type     {} (default {})\n  figure   {}\n  model    {}\n  variants\n",
                           pattern.name, pattern.meaning, fmt::join(types, ", "), types.front(),
                           unit_of(pattern.figure), pattern.formula);
  for (Variant const& variant : pattern.variants)
    std::cout << fmt::format("    {:<15} {}{}{}\n", variant.name, variant.meaning, role_of(variant),
                             variant.keys.empty() ? "" : fmt::format("; has key {}", fmt::join(variant.keys, ", ")));
  if (!pattern.on_hosts.empty()) std::cout << "  on hosts " << pattern.on_hosts << "\n";
  std::cout << "  keys\n";
  for (Key const& key : pattern.keys) {
    std::string const allowed = key.kind == KeyKind::shape   ? fmt::format("\"{}\"", fmt::join(key.choices, " x "))
                                : key.kind == KeyKind::bytes ? "a size or a share of the memory"
                                : key.choices.empty()        ? fmt::format("from {}", key.least)
                                                             : fmt::format("{}", fmt::join(key.choices, ", "));
    std::cout << fmt::format("    {:<15} {} (default {}; {})\n", key.name, key.meaning, key.fallback, allowed);
  }
  std::cout << "\n";
}

}  // namespace

int list(std::string const& name) {
  std::vector<std::string> names;
  bool found = false;
  for (Pattern const& pattern : catalogue()) {
    names.push_back(pattern.name);
    if (!name.empty() && name != pattern.name) continue;
    list_pattern(pattern);
    found = true;
  }
  if (!found) {
    std::cerr << fmt::format("pattern \"{}\" is unknown{}\n", name, nearest(name, names));
    return exit_usage;
  }
  std::vector<std::string> absent;
  for (std::string const& space : known_spaces()) {
    if (std::count(build_spaces().spaces.begin(), build_spaces().spaces.end(), space) == 0) absent.push_back(space);
  }
  std::cout << fmt::format("spaces of this build: {} (default {}); not built in: {}\n",
                           fmt::join(build_spaces().spaces, ", "), build_spaces().default_space,
                           fmt::join(absent, ", "));
  return exit_pass;
}

std::vector<std::pair<std::string, std::string>> machine_facts() {
  HostFacts const host = host_facts();
  std::vector<std::pair<std::string, std::string>> facts{
      {"host", host.name},
      {"operating system", host.kernel},
      {"cpu", host.cpu},
      {"cores", std::to_string(host.cores)},
      {"memory", short_bytes(host.memory)},
      {"last cache", short_bytes(host.last_cache)},
  };
  for (auto const& [name, value] : build_facts()) {
    if (!value.empty()) facts.emplace_back(name, value);
  }
  for (auto const& [name, value] : relevant_environment()) facts.emplace_back(name, value);
  return facts;
}

int info() {
  for (auto const& [name, value] : machine_facts()) std::cout << fmt::format("{:<22} {}\n", name, value);
  // What only Kokkos and the driver know is asked of a worker that has nothing to run.
  Supervision supervision;
  supervision.on_machine = [](Json const& json) {
    for (auto const& [name, value] : json.at("spaces").items()) {
      auto const text = value.get<std::string>();
      if (text.find('\n') == std::string::npos) std::cout << fmt::format("{:<22} {}\n", name, text);
    }
  };
  if (std::string const problem = describe_machine(supervision); !problem.empty())
    std::cout << fmt::format("{:<22} {}\n", "not available", problem);
  return exit_pass;
}

int worker(WorkerArguments const& arguments) {
  void* const memory = mmap(nullptr, sizeof(Beacon), PROT_READ | PROT_WRITE, MAP_SHARED, arguments.beacon, 0);
  if (memory == MAP_FAILED) {
    std::cerr << "this command is for the program's own use: `tilestride run` starts its workers\n";
    return exit_usage;
  }
  Plan plan;
  std::vector<std::size_t> todo;
  if (!arguments.input.deck.empty()) {
    auto planned = read_and_plan(arguments.input);
    if (!planned) return exit_usage;
    plan = std::move(*planned);
    for (std::size_t index = 0; std::cin >> index;) todo.push_back(index);
  }
  return run_worker(plan, todo, {arguments.output, arguments.until, arguments.kokkos}, *static_cast<Beacon*>(memory));
}

}  // namespace tilestride
