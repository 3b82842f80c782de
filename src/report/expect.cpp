// SPDX-License-Identifier: BSD-3-Clause
#include "report/expect.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "results/references.hpp"

namespace tilestride {
namespace {

Result const* best_of(std::vector<std::size_t> const& cases, std::vector<Result> const& results) {
  Result const* best = nullptr;
  for (std::size_t const i : cases) {
    if (results[i].outcome == Outcome::passed && (best == nullptr || results[i].rate() > best->rate()))
      best = &results[i];
  }
  return best;
}

/// Without the last sample, which was taken alone before verification and has no partner in its round.
std::vector<double> in_rounds(std::vector<double> samples) {
  if (samples.size() > 1) samples.pop_back();
  return samples;
}

Estimate against_case(Result const& mine, Result const& other) {
  bool const same_rounds = !mine.session.empty() && mine.session == other.session;
  return speed_ratio(in_rounds(mine.samples), in_rounds(other.samples), mine.amount() / other.amount(), same_rounds);
}

Estimate against_bound(Result const& mine) {
  auto const it = mine.yardsticks.find(mine.ceiling_name());
  if (it == mine.yardsticks.end())
    throw std::runtime_error(fmt::format("no {} ceiling was measured", mine.ceiling_name()));
  std::vector<double> times;
  for (double const rate : it->second) times.push_back(1 / rate);
  return speed_ratio(in_rounds(mine.samples), times, mine.amount(), true);
}

/// amount / time, for an amount that is known exactly.
Estimate rate_of(Result const& mine, double amount) {
  Estimate const t = estimate(mine.samples);
  return {amount / t.median, amount / t.high, amount / t.low};
}

using References = std::unordered_map<std::string, Reference>;

Estimate against_file(Result const& mine, References const& references) {
  auto const it = references.find(mine.planned->name());
  if (it == references.end()) throw std::runtime_error(fmt::format("it has no {}", mine.planned->name()));
  return speed_ratio(mine.samples, it->second.samples, mine.amount() / it->second.amount, false);
}

Estimate reach(Rule const& rule, Comparison const& comparison, Result const& mine, std::vector<Result> const& results,
               References const& references, std::string& versus) {
  switch (rule.of) {
    case Rule::Of::cases: {
      Result const* other = best_of(comparison.of, results);
      if (other == nullptr)
        throw std::runtime_error(fmt::format("{} did not pass", results[comparison.of.front()].planned->name()));
      versus = other->planned->name();
      return against_case(mine, *other);
    }
    case Rule::Of::bound: versus = "the " + mine.ceiling_name() + " ceiling"; return against_bound(mine);
    case Rule::Of::model:
      versus = "the model";
      if (mine.model.seconds == 0) throw std::runtime_error("it has no model here");
      return rate_of(mine, mine.model.seconds);
    case Rule::Of::file: versus = rule.file; return against_file(mine, references);
    case Rule::Of::absolute: return rate_of(mine, mine.amount());
  }
  return {};
}

std::string number(Rule const& rule, double x, std::string_view unit) {
  return rule.of == Rule::Of::absolute ? fmt::format("{:.1f} {}", x / 1e9, unit) : fmt::format("{:.3f}", x);
}

/// For an optional rule: whether one side of the comparison is missing only because it was skipped.
bool was_skipped(std::vector<std::size_t> const& cases, std::vector<Result> const& results) {
  return !cases.empty() &&
         std::all_of(cases.begin(), cases.end(), [&](std::size_t i) { return results[i].outcome == Outcome::skipped; });
}

Verdict judge_comparison(Rule const& rule, Comparison const& comparison, std::vector<Result> const& results,
                         References const& references) {
  Verdict verdict{&rule, Judgement::not_met, "", {}};
  if (rule.optional && (was_skipped(comparison.cases, results) || was_skipped(comparison.of, results)))
    verdict.judgement = Judgement::skipped;
  Result const* mine = best_of(comparison.cases, results);
  Result const& first = results[comparison.cases.front()];
  if (mine == nullptr) {
    verdict.text = fmt::format("{}: {}{}{}", first.planned->name(), name_of(first.outcome),
                               first.reason.empty() ? "" : ", ", first.reason);
    return verdict;
  }
  std::string versus;
  try {
    verdict.reached = reach(rule, comparison, *mine, results, references, versus);
  } catch (std::exception const& problem) {
    verdict.text = fmt::format("{}: nothing to compare with: {}", mine->planned->name(), problem.what());
    return verdict;
  }
  verdict.judgement = verdict.reached.high < rule.at_least  ? Judgement::not_met
                      : verdict.reached.low < rule.at_least ? Judgement::within_noise
                                                            : Judgement::met;
  std::string_view const unit = unit_of(mine->planned->pattern->figure);
  verdict.text = fmt::format("{}: {} [{}, {}]{}, asked for {}{}", mine->planned->name(),
                             number(rule, verdict.reached.median, unit), number(rule, verdict.reached.low, unit),
                             number(rule, verdict.reached.high, unit), versus.empty() ? "" : " of " + versus,
                             number(rule, rule.at_least, unit), rule.why.empty() ? "" : " (" + rule.why + ")");
  if (std::size_t const count = mine->samples.size(); count < samples_of_an_interval)
    verdict.text += fmt::format("; the range of {} samples, too few for a 95 % interval", count);
  return verdict;
}

}  // namespace

std::vector<Verdict> judge(Plan const& plan, std::vector<Result> const& results) {
  std::vector<Verdict> verdicts;
  for (Rule const& rule : plan.rules) {
    References const references = rule.of == Rule::Of::file ? read_references(rule.file) : References{};
    for (Comparison const& comparison : rule.comparisons) {
      verdicts.push_back(judge_comparison(rule, comparison, results, references));
      std::string& text = verdicts.back().text;  // a `why` may have lines
      std::replace(text.begin(), text.end(), '\n', ' ');
    }
  }
  return verdicts;
}

}  // namespace tilestride
