// SPDX-License-Identifier: BSD-3-Clause
#include "compare/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/text.hpp"

namespace tilestride {
namespace {

/// As many cases of a kind are shown without being asked for.
constexpr std::size_t shown_of_a_kind = 10;

std::string runs_text(std::string const& side, std::vector<RecordedRun> const& runs) {
  std::string text;
  for (RecordedRun const& run : runs) {
    text += fmt::format("{:<7} {}  {}  {}\n", text.empty() ? side : "", printable(run.file), printable(run.started),
                        fmt::format("{} cases", run.cases.size()));
  }
  return text;
}

std::string value_text(std::vector<std::string> const& values) {
  std::vector<std::string> shown;
  for (std::string const& value : values) shown.push_back(value.empty() ? "(none)" : printable(value, 60));
  return fmt::format("{}", fmt::join(shown, " | "));
}

std::string facts_text(RunComparison const& comparison) {
  std::string text;
  for (DifferingFact const& fact : comparison.facts) {
    if (fact.name == "deck")
      text += "  deck: not the same\n";
    else if (fact.mine == fact.theirs)
      text += fmt::format("  {}: differs between runs of a side: {}\n", printable(fact.name), value_text(fact.mine));
    else
      text +=
          fmt::format("  {}: {}, theirs {}\n", printable(fact.name), value_text(fact.mine), value_text(fact.theirs));
  }
  return text.empty() ? "machine, build, environment and deck are the same\n" : "what differs\n" + text;
}

std::string case_line(ComparedCase const& c) {
  std::string figures = fmt::format("{:<14}", name_of(c.judged));
  if (c.measured) {
    auto const [low, high] = c.interval();
    std::string const interval =
        std::isfinite(high) && low > 0.001 && high < 1000 ? fmt::format("[{:.3f}, {:.3f}]", low, high) : "[?, ?]";
    figures += fmt::format("  {:.3f}  {:<16}", c.ratio(), interval);
  }
  std::string line = fmt::format("  {}  {}", figures, printable(c.name));
  if (c.of_ceiling) line += "; shares of the ceiling";
  if (c.cycles_ratio > 0) line += fmt::format("; in cycles {:.3f}", c.cycles_ratio);
  if (!c.next_step.empty()) line += "; " + printable(c.next_step);
  return line + "\n";
}

/// The cases of one verdict, the largest differences first.
std::string cases_text(RunComparison const& comparison, Judged judged, std::size_t most) {
  std::vector<ComparedCase const*> of_kind;
  for (ComparedCase const& c : comparison.cases) {
    if (c.judged == judged) of_kind.push_back(&c);
  }
  std::stable_sort(of_kind.begin(), of_kind.end(), [](ComparedCase const* a, ComparedCase const* b) {
    return std::abs(a->difference.log_ratio) > std::abs(b->difference.log_ratio);
  });
  std::string text;
  for (std::size_t i = 0; i < std::min(most, of_kind.size()); ++i) text += case_line(*of_kind[i]);
  if (of_kind.size() > most)
    text += fmt::format("  {:<14}  {} more; --all shows them\n", name_of(judged), of_kind.size() - most);
  return text;
}

std::string names_text(std::string const& title, std::vector<std::string> const& names, std::size_t most) {
  if (names.empty()) return "";
  std::string text = fmt::format("{}: {}\n", title, names.size());
  for (std::size_t i = 0; i < std::min(most, names.size()); ++i) text += fmt::format("  {}\n", printable(names[i]));
  if (names.size() > most) text += fmt::format("  {} more; --all shows them\n", names.size() - most);
  return text;
}

std::string means_text(RunComparison const& comparison) {
  std::string text = "geometric mean of the ratios, by pattern\n";
  for (PatternMean const& mean : pattern_means(comparison))
    text += fmt::format("  {:<20} {:.3f}  {} cases\n", printable(mean.pattern), mean.ratio, mean.cases);
  return text;
}

/// How the spread between runs was found, and what it allows to say.
std::string method_text(RunComparison const& comparison, Tolerance const& tolerance) {
  std::string const spread =
      comparison.in_turns
          ? fmt::format("measured in turns, sample by sample, by {} pairs of processes\n", comparison.mine.size())
      : comparison.one_run_a_side()
          ? "one run a side: how far two runs of one build lie apart is guessed from all cases together, and no gate "
            "fails;\nwith two or more runs a side it is measured\n"
          : "";
  return fmt::format(
      "ratio of rates, mine / theirs, and its 95 % interval; same: within {:.1f} %; of those called faster or slower "
      "at most\n{:.0f} % are so by chance\n{}",
      100 * tolerance.same_within, 100 * tolerance.false_discoveries, spread);
}

}  // namespace

std::string summary(RunComparison const& comparison, Tolerance const& tolerance, bool all) {
  std::size_t const most =
      all ? comparison.cases.size() + comparison.missing.size() + comparison.added.size() : shown_of_a_kind;
  std::string text = runs_text("mine", comparison.mine) + runs_text("theirs", comparison.theirs);
  text += facts_text(comparison) + "\n" + method_text(comparison, tolerance) + "\n";
  for (Judged const judged : {Judged::slower, Judged::not_comparable, Judged::faster, Judged::unclear})
    text += cases_text(comparison, judged, judged == Judged::slower ? comparison.cases.size() : most);
  if (all) text += cases_text(comparison, Judged::same, most);
  text += names_text("in theirs alone", comparison.missing, most);
  text += names_text("in mine alone", comparison.added, most);
  return text + means_text(comparison);
}

std::string counts(RunComparison const& comparison) {
  auto const count = [&](Judged judged) {
    return std::count_if(comparison.cases.begin(), comparison.cases.end(),
                         [&](ComparedCase const& c) { return c.judged == judged; });
  };
  return fmt::format("faster={} slower={} same={} unclear={} not_comparable={} missing={} new={}",
                     count(Judged::faster), count(Judged::slower), count(Judged::same), count(Judged::unclear),
                     count(Judged::not_comparable), comparison.missing.size(), comparison.added.size());
}

}  // namespace tilestride
