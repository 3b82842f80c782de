// SPDX-License-Identifier: BSD-3-Clause
#include "report/comparisons.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

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

std::string published_table(std::vector<Result> const& results) {
  std::string text;
  for (Result const& result : results) {
    Case const& c = *result.planned;
    if (result.outcome != Outcome::passed || is_host_space(c.space)) continue;
    for (Published const& quoted : c.pattern->published) {
      bool const same = quoted.variant == c.variant->name && quoted.type == c.type &&
                        std::all_of(quoted.keys.begin(), quoted.keys.end(), [&](auto const& key) {
                          Value const* value = c.find(key.first);
                          return value != nullptr && value->text() == key.second;
                        });
      if (!same) continue;
      double const seconds = result.statistics().time.median;
      double const ours = quoted.unit == "us" ? seconds * 1e6 : result.work.bytes / seconds / 1e9;
      text += fmt::format("  {:<62} {:>9.1f} {:<5} {:<24} {:>9.1f} {}\n", c.name(), quoted.value, quoted.unit,
                          quoted.device, ours, quoted.unit);
    }
  }
  return text.empty() ? "" : "what the tutorials quote, on the GPU they name, and the same case here\n" + text;
}

}  // namespace tilestride
