// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "model/result.hpp"
#include "patterns/common/findings.hpp"
#include "patterns/common/whole_warps.hpp"
#include "patterns/shuffle/scratch.hpp"
#include "patterns/shuffle/team.hpp"

namespace tilestride::shuffle {
namespace {

template <auto Launcher>
constexpr Prepare raw = prepare_native<Shuffle, Launcher, float, double, std::int32_t>;

template <class Kernel>
Trial in_one_warp(Bench& bench, Case const& c) {
  if (auto const skip = why_no_whole_warps(c)) return skipped(skip->reason, skip->words);
  if (c.integer("width") > c.hardware.warp)
    return skipped(SkipReason::limit,
                   fmt::format("a group of {} lanes; a warp has {}", c.integer("width"), c.hardware.warp));
  return prepare<Shuffle, Kernel, float, double, std::int32_t>(bench, c);
}

Trial team(Bench& bench, Case const& c) {
  std::string const& op = c.choice("op");
  if (op != "broadcast" && op != "reduce" && op != "scan")
    return skipped(SkipReason::not_in_kokkos,
                   fmt::format("{} is not available in Kokkos: vector lanes cannot address each other", op));
  return in_one_warp<TeamExchange>(bench, c);
}

double needs(Case const& c) { return static_cast<double>(c.hardware.warp * size_of(c.type) + 8); }
Work work(Case const&) { return {0, 0, steps}; }

constexpr char const* one_lane = "a host's team has one lane: it has no other to exchange with";

/// Exchanges that wait for each other, each as long as the card's broadcast by the same variant: one a step, and
/// log2(width) for a sum or a scan. None for the broadcast itself.
Model exchanges_model(Case const& c, Ceilings const&) {
  std::string const& op = c.choice("op");
  if (op == "broadcast") return {};
  bool const is_sum = op == "reduce" || op == "scan";
  double const exchanges = is_sum ? std::log2(static_cast<double>(c.integer("width"))) : 1;
  double const each =
      c.card_seconds(fmt::format("shuffle/{}/{}/{}/op=broadcast/width=32", c.variant->name, c.space, name_of(c.type)));
  return {steps * exchanges * each, "exchanges"};
}

struct Range {
  double least = 0, most = 0;
  void take(double value) {
    least = least == 0 ? value : std::min(least, value);
    most = std::max(most, value);
  }
};

/// What the others are compared with: the hardware's own instructions.
bool is_reference(Variant const& variant) { return variant.twin == "team"; }

/// One sentence for each space and op: how the other variants compare with a shuffle, over all widths and types.
std::vector<std::string> findings(std::vector<Result> const& results) {
  std::map<std::string, double> shuffles;  // seconds a step, by problem
  for (Result const& result : results) {
    if (result.outcome == Outcome::passed && is_reference(*result.planned->variant))
      shuffles[result.planned->problem()] = 1 / result.rate();
  }
  std::vector<std::string> order;
  // Nanoseconds of the reference; of the others, times as long as that.
  std::map<std::string, std::map<Variant const*, Range>> by_op;
  for (Result const& result : results) {
    auto const it = shuffles.find(result.planned->problem());
    if (result.outcome != Outcome::passed || it == shuffles.end()) continue;
    std::string const op = fmt::format("shuffle/{}: {}", result.planned->space, result.planned->choice("op"));
    if (by_op.count(op) == 0) order.push_back(op);
    double const seconds = 1 / result.rate();
    Variant const* const variant = result.planned->variant;
    by_op[op][variant].take(is_reference(*variant) ? 1e9 * seconds : seconds / it->second);
  }
  std::vector<std::string> sentences;
  for (std::string const& op : order) {
    std::string first, others;
    for (Variant const& variant : results.front().planned->pattern->variants) {
      auto const times = by_op[op].find(&variant);
      if (times == by_op[op].end()) continue;
      auto const& [least, most] = times->second;
      if (is_reference(variant))
        first = fmt::format("{} takes {:.1f} to {:.1f} ns by {}", op, least, most, variant.name);
      else
        others += fmt::format(", {:.2f} to {:.2f} times that by {}", least, most, variant.name);
    }
    sentences.push_back(first + others);
  }
  return sentences;
}

}  // namespace

Pattern pattern() {
  Pattern p;
  p.name = "shuffle";
  p.meaning =
      "lanes of a warp exchange values: what does a step cost by shuffle, through shared memory, and with Kokkos' "
      "vector "
      "lanes?";
  p.types = {Type::f32, Type::f64, Type::i32};
  p.figure = Figure::latency;
  p.formula =
      "native: exchanges that wait for each other, each as long as the card's shuffle by the same variant with op = "
      "broadcast: one a step, log2(width) for reduce and scan; none for the broadcast, whose latency is measured, nor "
      "for the others";
  p.keys = {
      {"op",
       KeyKind::choice,
       "broadcast",
       {"broadcast", "up", "down", "rotate", "xor", "reduce", "scan"},
       "from the first lane; from the lane below, above, above in a ring, half a group away; the sum of all lanes; of "
       "those up to one's own"},
      {"width", KeyKind::integer, "32", choices_of(Widths{}), "lanes of a group; groups side by side fill a warp"},
  };
  p.variants = {
      portable("team", "single, parallel_reduce, parallel_scan over vector lanes", team).only_on_devices(one_lane),
      portable("scratch", "each exchange as a store to team scratch, a barrier of the team and a load",
               in_one_warp<ScratchExchange>)
          .only_on_devices("a host's team has one thread: it has no other to exchange with"),
      native("native_shuffle", "__shfl_sync and its kin; sums of log2(width) of them", raw<&Launchers::by_shuffle>)
          .twin_of("team")
          .with_model(exchanges_model),
      native("native_scratch", "each shuffle as a store, __syncwarp and a load", raw<&Launchers::through_scratch>)
          .twin_of("scratch")
          .with_model(exchanges_model),
      library("vendor", "cub::WarpReduce, WarpScan, ShuffleIndex, ShuffleUp and ShuffleDown", raw<&Launchers::vendor>)
          .only_on_devices(one_lane),
  };
  p.on_hosts = "nothing: a team has one lane there";
  p.needs = needs;
  p.work = work;
  p.model = no_model;
  p.findings = findings;
  return p;
}

}  // namespace tilestride::shuffle
