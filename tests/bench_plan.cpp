// SPDX-License-Identifier: BSD-3-Clause

// How long planning a deck of 100,000 cases takes, and how much memory. Not a test: it prints, a person judges.
// Goal: below one second and 200 MB for decks that people write; one block for each case, or a hundred rules for a
// million cases, is the far end, for comparison.

#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <string>
#include <vector>

#include "deck/deck.hpp"
#include "plan/plan.hpp"
#include "small_catalogue.hpp"

namespace {

/// 100 sizes x 250 stream counts x 4 solutions: made of ranges, and judged by rules that touch every case.
std::string const ranges = R"(schema = 1
[[case]]
pattern = "overlap"
type    = ["f64", "i32"]
variant = ["three_stage", "kokkos_instances"]
bytes   = { from = "8 KiB", to = "800 KiB", step = "8 KiB" }
streams = { from = 1, to = 250, step = 1 }
[[expect]]
pattern  = "overlap"
variant  = "kokkos_instances"
of       = { variant = "three_stage" }
at_least = 0.97
[[expect]]
pattern   = "overlap"
variant   = "kokkos_instances"
best_over = ["bytes", "streams", "type"]
of        = { variant = "three_stage" }
at_least  = 0.97
)";

/// The same number of cases, every value written out.
std::string lists() {
  std::string text =
      "schema = 1\n[[case]]\npattern = \"transpose\"\nvariant = [\"copy\", \"padded\"]\ntile = [8, 16, 32]\nshape = [";
  for (int i = 1; i <= 25000; ++i) text += fmt::format("\"{}x{}\", ", i, i + 1);
  return text + "]\n";
}

/// One block for each case.
std::string blocks() {
  std::string text = "schema = 1\n";
  for (int i = 1; i <= 100000; ++i)
    text += fmt::format("[[case]]\npattern = \"transpose\"\nvariant = \"copy\"\nshape = \"{}x64\"\n", i);
  return text;
}

/// A million cases and a hundred rules, each of which touches half of the cases.
std::string many_rules() {
  std::string text = R"(schema = 1
[[case]]
pattern = "overlap"
type    = ["f64", "i32"]
variant = ["three_stage", "kokkos_instances"]
bytes   = { from = "8 KiB", to = "8000 KiB", step = "8 KiB" }
streams = { from = 1, to = 250, step = 1 }
)";
  for (int i = 1; i <= 100; ++i)
    text += fmt::format(
        "[[expect]]\npattern = \"overlap\"\nvariant = \"kokkos_instances\"\nbest_over = [\"streams\", \"bytes\"]\n"
        "of = {{ variant = \"three_stage\", streams = {} }}\nat_least = 0.97\n",
        i);
  return text;
}

/// 400 sizes, each with 1000 numbers of streams of its own: few of all combinations are in the plan.
std::string sparse() {
  std::string text = "schema = 1\n";
  for (int i = 1; i <= 400; ++i)
    text += fmt::format(
        "[[case]]\npattern = \"overlap\"\nvariant = [\"serial\", \"three_stage\"]\nbytes = {}\n"
        "streams = {{ from = {}, to = {}, step = 1 }}\n",
        8 * i, 1000 * i, 1000 * i + 999);
  return text +
         "[[expect]]\npattern = \"overlap\"\nvariant = \"serial\"\nbest_over = \"streams\"\n"
         "of = { variant = \"three_stage\" }\nat_least = 1\n";
}

void measure(char const* what, std::string const& text) {
  using namespace tilestride;
  std::vector<Mistake> mistakes;
  auto const seconds = [](auto since) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - since).count();
  };
  auto const begin = std::chrono::steady_clock::now();
  Deck const deck = parse_deck(text, "bench.toml", mistakes);
  double const parsing = seconds(begin);
  Plan const plan = make_plan(deck, small_catalogue(), small_build(), "", mistakes);
  double const all = seconds(begin);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  fmt::print("{}: {} cases, {} groups: {:.3f} s ({:.3f} s of it to read the deck), peak RSS so far {:.1f} MB\n", what,
             plan.cases.size(), plan.groups.size(), all, parsing, static_cast<double>(usage.ru_maxrss) * 1024 / 1e6);
  if (!mistakes.empty()) fmt::print("{}", describe(mistakes, deck));
}

}  // namespace

int main() {
  measure("ranges and rules", ranges);
  measure("lists", lists());
  measure("a block for each case", blocks());
  measure("many rules", many_rules());
  measure("few of all combinations", sparse());
}
