// SPDX-License-Identifier: BSD-3-Clause
#include "report/comparisons.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

namespace tilestride {
namespace {

/// The same problem with the same own keys. A key that the portable variant does not have must be at its default.
bool is_twin(Case const& native, Case const& portable) {
  if (portable.pattern != native.pattern || portable.variant->name != native.variant->twin) return false;
  if (portable.problem() != native.problem()) return false;
  return std::all_of(native.values.begin(), native.values.end(), [&](Value const& value) {
    Value const* other = portable.find(value.key->name);
    return (other == nullptr ? value.key->fallback : other->text()) == value.text();
  });
}

/// The ratios of one idea, and the case where it is lowest.
struct Price {
  std::vector<double> ratios;
  double lowest = 0;
  Case const* where = nullptr;
};

}  // namespace

std::string price_table(std::vector<Result> const& results) {
  std::map<std::string, std::vector<Result const*>> by_problem;
  for (Result const& result : results) {
    if (result.outcome == Outcome::passed) by_problem[result.planned->problem()].push_back(&result);
  }
  std::map<std::string, Price> prices;
  for (auto const& [problem, members] : by_problem) {
    for (Result const* native : members) {
      if (native->planned->variant->twin.empty()) continue;
      auto const twin = std::find_if(members.begin(), members.end(),
                                     [&](Result const* other) { return is_twin(*native->planned, *other->planned); });
      if (twin == members.end()) continue;
      Case const& c = *native->planned;
      Price& price = prices[fmt::format("{}/{:<18} for {:<14} {}", c.pattern->name, c.variant->name, c.variant->twin,
                                        name_of(c.type))];
      double const ratio = (*twin)->rate() / native->rate();
      if (price.where == nullptr || ratio < price.lowest) {
        price.lowest = ratio;
        price.where = (*twin)->planned;
      }
      price.ratios.push_back(ratio);
    }
  }
  if (prices.empty()) return "";
  std::string text =
      "price of portability: native time / portable time (1: Kokkos costs nothing; below: the native kernel is "
      "faster)\n";
  for (auto& [idea, price] : prices) {
    std::string const where =
        price.ratios.size() > 1 ? fmt::format("  lowest {:.3f} in {}", price.lowest, price.where->name()) : "";
    text +=
        fmt::format("  {}  {:.3f}  cases {:<3}{}\n", idea, estimate(price.ratios).median, price.ratios.size(), where);
  }
  return text;
}

namespace {

bool matches(Published const& figure, Case const& c) {
  return figure.variant == c.variant->name && figure.type == c.type &&
         std::all_of(figure.keys.begin(), figure.keys.end(), [&](auto const& key) {
           Value const* value = c.find(key.first);
           return value != nullptr && value->text() == key.second;
         });
}

/// The fastest of the results for which `wanted` holds; null where it holds for none.
template <class Wanted>
Result const* fastest(std::vector<Result> const& results, Wanted const& wanted) {
  Result const* best = nullptr;
  for (Result const& result : results) {
    if (result.outcome == Outcome::passed && wanted(result) && (best == nullptr || result.rate() > best->rate()))
      best = &result;
  }
  return best;
}

/// Nothing for a ratio to a variant that was not measured.
std::optional<Quote> quote(Published const& figure, Result const& literal, std::vector<Result> const& results) {
  double const seconds = literal.statistics().time.median;
  std::string const problem = literal.planned->problem();
  if (!figure.over.empty()) {
    Result const* const base = fastest(results, [&](Result const& other) {
      return other.planned->variant->name == figure.over && other.planned->problem() == problem;
    });
    if (base == nullptr) return std::nullopt;
    return Quote{&figure, &literal, base->statistics().time.median / seconds};
  }
  bool const is_time = figure.unit == "us";
  Quote quote{&figure, &literal, is_time ? seconds * 1e6 : literal.work.bytes / seconds / 1e9};
  if (figure.peak) return quote;
  quote.hardware = is_time ? figure.value / quote.here : quote.here / figure.value;
  quote.best = fastest(results, [&](Result const& other) {
    return other.planned->variant->role == Role::portable && !other.rounded() && other.planned->problem() == problem;
  });
  if (quote.best != nullptr) quote.rewriting = quote.best->rate() / literal.rate();
  return quote;
}

std::string in_words(Quote const& quote) {
  Published const& figure = *quote.figure;
  std::string const name = quote.literal->planned->name();
  if (!figure.over.empty())
    return fmt::format("  {}: {:.2f} times as fast as {} then ({}), {:.2f} times here\n", name, figure.value,
                       figure.over, figure.device, quote.here);
  std::string const ours = fmt::format("{:.1f} {} here", quote.here, figure.unit);
  if (figure.peak)
    return fmt::format("  {}: {:.1f} {} by the data sheet ({}), {}\n", name, figure.value, figure.unit, figure.device,
                       ours);
  std::string text = fmt::format("  {}: {:.1f} {} then ({}), {}\n    hardware: {:.2f} times as fast", name,
                                 figure.value, figure.unit, figure.device, ours, quote.hardware);
  if (quote.best == nullptr) return text + "; rewriting: no portable variant of this problem was run\n";
  return text + fmt::format("; rewriting: {:.2f} times, as {}; then to now: {:.2f} times\n", quote.rewriting,
                            quote.best->planned->name(), quote.hardware * quote.rewriting);
}

}  // namespace

std::vector<Quote> quotes(std::vector<Result> const& results) {
  std::vector<Quote> found;
  for (Result const& result : results) {
    Case const& c = *result.planned;
    if (result.outcome != Outcome::passed || is_host_space(c.space)) continue;
    for (Published const& figure : c.pattern->published) {
      if (!matches(figure, c)) continue;
      if (auto const one = quote(figure, result, results)) found.push_back(*one);
    }
  }
  return found;
}

std::string published_table(std::vector<Result> const& results) {
  std::string text;
  for (Quote const& quote : quotes(results)) text += in_words(quote);
  if (text.empty()) return "";
  return "what the tutorials quote, and the same kernel here (hardware: the tutorial's kernel, its GPU to this one; "
         "rewriting: that kernel to the fastest portable variant, both here)\n" +
         text;
}

}  // namespace tilestride
