// SPDX-License-Identifier: BSD-3-Clause
#include "patterns/shuffle/shuffle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "harness/result.hpp"
#include "patterns/patterns.hpp"
#include "patterns/shuffle/team.hpp"

namespace tilestride {
namespace {

constexpr Prepare native = prepare_native<Shuffle, float, double, std::int32_t>;

Trial team(Bench& bench, Case const& c) {
  std::string const& op = c.choice("op");
  if (op != "broadcast" && op != "reduce" && op != "scan")
    return skipped(fmt::format("Kokkos has no word for {}: its lanes have no names for each other", op));
  return prepare<Shuffle, TeamExchange, float, double, std::int32_t>(bench, c);
}

double needs(Case const& c) { return static_cast<double>(warp_lanes * size_of(c.type) + 8); }
Work work(Case const&) { return {0, 0, shuffle_steps}; }
Model no_model(Case const&, Ceilings const&) { return {}; }

struct Range {
  double least = 0, most = 0;
  void take(double value) {
    least = least == 0 ? value : std::min(least, value);
    most = std::max(most, value);
  }
};

/// One sentence for each space and op: how the other ways compare with a shuffle, over all widths and types.
std::vector<std::string> findings(std::vector<Result> const& results) {
  std::map<std::string, double> shuffles;  // seconds a step, by problem
  for (Result const& result : results) {
    if (result.outcome == Outcome::passed && result.planned->variant->name == "native_shuffle")
      shuffles[result.planned->problem()] = 1 / result.rate();
  }
  std::vector<std::string> order;
  std::map<std::string, std::map<std::string, Range>> by_op;  // times as long as a shuffle, by variant
  for (Result const& result : results) {
    auto const it = shuffles.find(result.planned->problem());
    if (result.outcome != Outcome::passed || it == shuffles.end()) continue;
    std::string const op = fmt::format("shuffle/{}: {}", result.planned->space, result.planned->choice("op"));
    if (by_op.count(op) == 0) order.push_back(op);
    double const seconds = 1 / result.rate();
    if (result.planned->variant->name == "native_shuffle")
      by_op[op]["native_shuffle"].take(1e9 * seconds);
    else
      by_op[op][result.planned->variant->name].take(seconds / it->second);
  }
  std::vector<std::string> sentences;
  for (std::string const& op : order) {
    Range const shuffle = by_op[op]["native_shuffle"];
    std::string sentence = fmt::format("{} takes {:.1f} to {:.1f} ns by shuffles", op, shuffle.least, shuffle.most);
    for (auto const& [variant, words] :
         {std::pair("native_scratch", "through shared memory"), std::pair("team", "in Kokkos' words")}) {
      Range const times = by_op[op][variant];
      if (times.most > 0) sentence += fmt::format(", {:.2f} to {:.2f} times that {}", times.least, times.most, words);
    }
    sentences.push_back(sentence);
  }
  return sentences;
}

}  // namespace

Pattern shuffle_pattern() {
  std::string const no_lanes = "a host's team has one lane: there is nobody to exchange with";
  Pattern pattern{
      "shuffle",
      "lanes of a warp exchange values: what does a step cost by shuffle, through shared memory, and in Kokkos' words?",
      {Type::f32, Type::f64, Type::i32},
      Figure::latency,
      "none: a latency is measured",
      {
          {"op",
           KeyKind::choice,
           "broadcast",
           {"broadcast", "up", "down", "rotate", "xor", "reduce", "scan"},
           "from the first lane; from the lane below, above, above in a ring, half a group away; the sum of all lanes; "
           "of those up to one's own"},
          {"width", KeyKind::integer, "32", {"2", "4", "8", "16", "32"}, "lanes of a group; a warp holds 32 / width"},
      },
      {
          Variant{"team", "single, parallel_reduce, parallel_scan over vector lanes", Role::solution, team, {}}
              .only_on_devices(no_lanes),
          Variant{"native_shuffle", "__shfl_sync and its kin; sums of log2(width) of them", Role::native, native, {}}
              .twin_of("team"),
          {"native_scratch", "each shuffle as a store, __syncwarp and a load", Role::native, native, {}},
      },
      nullptr,
      needs,
      work,
      no_model,
      findings,
  };
  pattern.on_hosts = "nothing: a team has one lane there";
  return pattern;
}

}  // namespace tilestride
