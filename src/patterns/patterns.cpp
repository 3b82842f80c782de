// SPDX-License-Identifier: BSD-3-Clause
#include "patterns/patterns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "harness/result.hpp"

namespace tilestride {

Model copy_model(Case const& c, Ceilings const& ceilings) {
  if (ceilings.copy == 0) return {};
  return {c.pattern->work(c).bytes / ceilings.copy, "copy"};
}

std::vector<std::string> ladder_findings(std::vector<Result> const& results) {
  struct Ladder {
    Result const *slowest = nullptr, *fastest = nullptr, *library = nullptr;
  };
  std::map<std::string, Ladder> ladders;
  std::vector<std::string> order;
  for (Result const& result : results) {
    if (result.outcome != Outcome::passed) continue;
    std::string const problem = result.planned->problem();
    if (ladders.count(problem) == 0) order.push_back(problem);
    Ladder& ladder = ladders[problem];
    Role const role = result.planned->variant->role;
    if (role == Role::library && (ladder.library == nullptr || result.rate() > ladder.library->rate()))
      ladder.library = &result;
    if (role != Role::solution) continue;
    if (ladder.slowest == nullptr || result.rate() < ladder.slowest->rate()) ladder.slowest = &result;
    if (ladder.fastest == nullptr || result.rate() > ladder.fastest->rate()) ladder.fastest = &result;
  }
  std::vector<std::string> sentences;
  for (std::string const& problem : order) {
    Ladder const& ladder = ladders[problem];
    if (ladder.fastest == nullptr) continue;
    std::string sentence = fmt::format("{}: {} is fastest", problem, ladder.fastest->planned->variant->name);
    if (ladder.slowest != ladder.fastest)
      sentence += fmt::format(", {:.2f}x {}", ladder.fastest->rate() / ladder.slowest->rate(),
                              ladder.slowest->planned->variant->name);
    if (ladder.library != nullptr)
      sentence += fmt::format(", {:.2f}x the library", ladder.fastest->rate() / ladder.library->rate());
    sentences.push_back(sentence);
  }
  return sentences;
}

}  // namespace tilestride
