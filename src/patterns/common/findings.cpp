// SPDX-License-Identifier: BSD-3-Clause
#include "patterns/common/findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "model/result.hpp"

namespace tilestride {

Model copy_model(Case const& c, Ceilings const& ceilings) {
  if (ceilings.copy == 0) return {};
  return {c.work().bytes / ceilings.copy, "copy"};
}

Model no_model(Case const&, Ceilings const&) { return {}; }

double each_byte_once(Case const& c) { return c.work().bytes; }

std::string refuse_bytes(std::int64_t bytes, Type type) {
  if (bytes % size_of(type) == 0) return "";
  return fmt::format("{} bytes are no whole number of {} elements of {} bytes", bytes, name_of(type), size_of(type));
}

std::vector<std::string> ladder_findings(std::vector<Result> const& results) {
  struct Ladder {
    Result const *slowest = nullptr, *fastest = nullptr, *library = nullptr;
    Result const *by_rule = nullptr, *best_block = nullptr;  // of a blocked variant
  };
  std::map<std::string, Ladder> ladders;
  std::vector<std::string> order;
  for (Result const& result : results) {
    if (result.outcome != Outcome::passed || result.rounded()) continue;
    std::string const problem = result.planned->problem();
    if (ladders.count(problem) == 0) order.push_back(problem);
    Ladder& ladder = ladders[problem];
    Role const role = result.planned->variant->role;
    if (role == Role::library && (ladder.library == nullptr || result.rate() > ladder.library->rate()))
      ladder.library = &result;
    if (role != Role::portable) continue;
    if (Value const* const block = result.planned->find("block")) {
      if (block->text() == "auto")
        ladder.by_rule = &result;
      else if (ladder.best_block == nullptr || result.rate() > ladder.best_block->rate())
        ladder.best_block = &result;
    }
    if (ladder.slowest == nullptr || result.rate() < ladder.slowest->rate()) ladder.slowest = &result;
    if (ladder.fastest == nullptr || result.rate() > ladder.fastest->rate()) ladder.fastest = &result;
  }
  std::vector<std::string> sentences;
  for (std::string const& problem : order) {
    Ladder const& ladder = ladders[problem];
    if (ladder.fastest == nullptr) continue;
    std::string sentence = fmt::format("{}: {} is fastest", problem, ladder.fastest->planned->variant->name);
    if (ladder.slowest != ladder.fastest) {
      std::string const& slowest = ladder.slowest->planned->variant->name;
      sentence += fmt::format(", {:.2f}x {}", ladder.fastest->rate() / ladder.slowest->rate(),
                              slowest == ladder.fastest->planned->variant->name ? "its slowest setting" : slowest);
    }
    if (ladder.library != nullptr)
      sentence += fmt::format(", {:.2f}x the library", ladder.fastest->rate() / ladder.library->rate());
    if (ladder.by_rule != nullptr && ladder.best_block != nullptr)
      sentence +=
          fmt::format("; the rule takes block {}, {:.2f}x the best, {}", ladder.by_rule->notes.at("block"),
                      ladder.by_rule->rate() / ladder.best_block->rate(), ladder.best_block->planned->choice("block"));
    sentences.push_back(sentence);
  }
  return sentences;
}

namespace {
/// What the model leaves of the ceiling: free of how the ceiling itself varied between two problems.
double model_share(Result const& result) { return result.amount() / result.model.seconds / result.ceiling(); }
}  // namespace

std::vector<std::string> sweep_findings(std::vector<Result> const& results, std::string const& key) {
  struct Sweep {
    std::string name;
    Result const *fastest, *slowest;
  };
  std::vector<Sweep> sweeps;
  for (Result const& result : results) {
    Case const& c = *result.planned;
    if (result.outcome != Outcome::passed || c.variant->role != Role::portable) continue;
    Case rest = c;
    rest.values.erase(std::remove_if(rest.values.begin(), rest.values.end(),
                                     [&](Value const& value) { return value.key->name == key; }),
                      rest.values.end());
    std::string const name = rest.name();
    auto const it = std::find_if(sweeps.begin(), sweeps.end(), [&](Sweep const& sweep) { return sweep.name == name; });
    if (it == sweeps.end()) {
      sweeps.push_back({name, &result, &result});
      continue;
    }
    if (result.rate() > it->fastest->rate()) it->fastest = &result;
    if (result.rate() < it->slowest->rate()) it->slowest = &result;
  }
  std::vector<std::string> sentences;
  for (auto const& [name, fastest, slowest] : sweeps) {
    if (fastest == slowest) continue;
    std::string sentence = fmt::format("{}: {:.1f} GB/s at {} {}, {:.2f} of it at {}", name, fastest->rate() / 1e9, key,
                                       fastest->planned->find(key)->text(), slowest->rate() / fastest->rate(),
                                       slowest->planned->find(key)->text());
    if (fastest->model.seconds > 0 && slowest->model.seconds > 0)
      sentence += fmt::format("; the model says {:.2f}", model_share(*slowest) / model_share(*fastest));
    sentences.push_back(sentence);
  }
  return sentences;
}

}  // namespace tilestride
