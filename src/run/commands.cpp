// SPDX-License-Identifier: BSD-3-Clause
#include "run/commands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>

#include "machine/environment.hpp"
#include "machine/host.hpp"
#include "model/text.hpp"
#include "model/units.hpp"
#include "patterns/catalogue.hpp"
#include "process/messages.hpp"
#include "process/supervisor.hpp"
#include "results/references.hpp"
#include "run/reference.hpp"

namespace tilestride {

namespace {

void check_references(Plan const& plan, std::vector<Mistake>& mistakes) {
  for (Rule const& rule : plan.rules) {
    if (rule.of != Rule::Of::file) continue;
    try {
      read_references(rule.file);
    } catch (std::exception const& problem) {
      mistakes.emplace_back(rule.at, "", fmt::format("{}, which a rule compares with: {}", rule.file, problem.what()));
    }
  }
}

}  // namespace

void complain(std::string_view text) { std::cerr << "tilestride: " << printable(text) << "\n"; }

std::optional<Plan> read_and_plan(DeckOptions const& options, Build const& build) {
  std::vector<Mistake> mistakes;
  Deck deck = read_deck(options.deck, mistakes);
  Plan plan;
  if (mistakes.empty()) {
    for (std::string const& assignment : options.set) set_in_deck(deck, assignment, mistakes);
    plan = make_plan(deck, catalogue(), build, options.only, mistakes);
    check_references(plan, mistakes);
  }
  if (mistakes.empty()) return plan;
  std::cerr << describe(mistakes, deck);
  return {};
}

int check(DeckOptions const& options) {
  auto const plan = read_and_plan(options, Programs::find().build());
  if (!plan) return exit_usage;
  std::cout << fmt::format("{}: {} cases of {} problems, {} rules\n", printable(options.deck), plan->cases.size(),
                           plan->groups.size(), plan->rules.size());
  return exit_pass;
}

namespace {

std::string role_of(Variant const& variant) {
  switch (variant.role) {
    case Role::portable: return "";
    case Role::hybrid: return fmt::format(" (hybrid: {})", variant.parts);
    case Role::native: return variant.twin.empty() ? " (native)" : fmt::format(" (native, twin of {})", variant.twin);
    case Role::bound: return " (a bound)";
    case Role::library: return " (a library)";
  }
  return "";
}

void list_pattern(Pattern const& pattern) {
  std::vector<std::string> types;
  for (Type const type : pattern.types) types.emplace_back(name_of(type));
  std::size_t width = 0;
  for (Variant const& variant : pattern.variants) width = std::max(width, variant.name.size());
  for (Key const& key : pattern.keys) width = std::max(width, key.name.size());
  std::cout << fmt::format("{}: {}\n  type     {} (default {})\n  figure   {}\n  model    {}\n  variants\n",
                           pattern.name, pattern.meaning, fmt::join(types, ", "), types.front(),
                           unit_of(pattern.figure), pattern.formula);
  for (Variant const& variant : pattern.variants)
    std::cout << fmt::format("    {:<{}}  {}{}{}\n", variant.name, width, variant.meaning, role_of(variant),
                             variant.keys.empty() ? "" : fmt::format("; has key {}", fmt::join(variant.keys, ", ")));
  if (!pattern.on_hosts.empty()) std::cout << "  on hosts " << pattern.on_hosts << "\n";
  std::cout << "  keys\n";
  for (Key const& key : pattern.keys) {
    std::string const allowed = key.kind == KeyKind::shape   ? fmt::format("\"{}\"", fmt::join(key.choices, " x "))
                                : key.kind == KeyKind::bytes ? "a size or a share of the memory"
                                : key.choices.empty()        ? fmt::format("from {}", key.least)
                                                             : fmt::format("{}", fmt::join(key.choices, ", "));
    std::cout << fmt::format("    {:<{}}  {} (default {}; {})\n", key.name, width, key.meaning, key.fallback, allowed);
  }
  std::cout << "\n";
}

/// Which program runs which space, and which spaces no program here has.
void print_spaces(Programs const& programs) {
  Build const build = programs.build();
  for (Program const& program : programs.all())
    std::cout << fmt::format("spaces of {}: {}\n", program.name, fmt::join(program.spaces, ", "));
  std::vector<std::string> absent;
  for (std::string const& space : known_spaces()) {
    if (std::count(build.spaces.begin(), build.spaces.end(), space) == 0) absent.push_back(space);
  }
  std::cout << fmt::format("default space: {}; in no program here: {}\n", build.default_space,
                           absent.empty() ? "none" : fmt::format("{}", fmt::join(absent, ", ")));
}

template <class Facts>
void print_facts(Facts const& facts) {
  for (auto const& [name, value] : facts) std::cout << fmt::format("{:<22} {}\n", name, printable(value));
}

/// The facts of a JSON object that fit in a line.
void print_json_facts(Json const& facts) {
  for (auto const& [name, value] : facts.items()) {
    auto const text = value.get<std::string>();
    if (text.find('\n') == std::string::npos) std::cout << fmt::format("{:<22} {}\n", name, printable(text));
  }
}

/// Facts that need a worker of the program, Kokkos and the driver.
void describe(Program const& program) {
  std::cout << fmt::format("\nprogram {}\n", program.name);
  Supervision supervision;
  supervision.on_hello = [](Program const&, Json const& hello) { print_json_facts(hello.at("build")); };
  supervision.on_machine = [](Program const&, Json const& machine) { print_json_facts(machine.at("spaces")); };
  if (std::string const problem = describe_machine(program, supervision); !problem.empty())
    std::cout << fmt::format("{:<22} {}\n", "not available", printable(problem));
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
    std::cerr << fmt::format("pattern \"{}\" is unknown{}\n", printable(name), nearest(name, names));
    return exit_usage;
  }
  print_spaces(Programs::find());
  return exit_pass;
}

int list_json() {
  std::cout << reference(catalogue()).dump(1) << "\n";
  return exit_pass;
}

int info() {
  print_facts(host_facts().facts());
  print_facts(relevant_environment());
  Programs const programs = Programs::find();
  for (Program const& program : programs.all()) describe(program);
  return exit_pass;
}

}  // namespace tilestride
