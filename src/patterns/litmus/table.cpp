// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <map>

#include "model/result.hpp"
#include "patterns/common/findings.hpp"
#include "patterns/litmus/native.hpp"
#include "patterns/litmus/ordered.hpp"

namespace tilestride::litmus {
namespace {

constexpr std::int64_t most_rounds = 100'000;  // of one launch: a second, where each passes the host's link
constexpr std::int64_t most_stress = 4096;
constexpr int widest_warp = 64;  // that a device is known to have
constexpr char const* not_on_hosts = "on a host the teams of a league need not run at the same time";

Trial ordered(Bench& bench, Case const& c) {
  return with_space(c.space, [&](auto space) -> Trial {
    using Exec = typename decltype(space)::type;
    if constexpr (is_host<Exec>)
      return skipped(SkipReason::no_meaning, not_on_hosts);
    else
      return prepare_ordered<Exec>(bench, c);
  });
}

std::string refuse(Case const& c) {
  if (c.integer("iterations") > most_rounds) return fmt::format("at most {} rounds in one launch", most_rounds);
  if (c.integer("stress") > most_stress) return fmt::format("at most {} blocks beside the test", most_stress);
  return "";
}

double needs(Case const& c) {
  int const warp = c.hardware.warp > 0 ? c.hardware.warp : widest_warp;
  double const locations = c.choice("scope") == "system" ? 0 : 2.0 * pairs_in(Scope::device, warp) * slots;
  return locations * spacing * 4 + (16 << 20) + (1 << 20);
}

Work work(Case const& c) { return {0, 0, static_cast<double>(c.integer("iterations"))}; }

std::string outcomes(Result const& result) {
  double const weak = result.measured_value("weak outcomes"), tries = result.measured_value("tries");
  std::string const& form = result.planned->choice("form");
  std::string text = fmt::format("{} ", form);
  text += weak > 0 ? fmt::format("{:.0f} of {:.3g}", weak, tries) : fmt::format("never in {:.3g}", tries);
  if (result.measured_value("seen") == 0) text += ", none of which saw the other side's store";
  if (form == "fenced" || form == "atomic") text += " (as it must)";
  return text + fmt::format(", {:.0f} ns", 1e9 / result.rate());
}

/// One sentence for each variant, test and scope: how often each form showed a weak outcome, and the time of a round.
std::vector<std::string> findings(std::vector<Result> const& results) {
  std::vector<std::string> order;
  std::map<std::string, std::vector<std::string>> forms;
  for (Result const& result : results) {
    if (result.outcome != Outcome::passed) continue;
    Case const& c = *result.planned;
    std::string const name = fmt::format("litmus/{}/{}: {} in scope {}, {} blocks beside it", c.variant->name, c.space,
                                         c.choice("test"), c.choice("scope"), c.integer("stress"));
    if (forms.count(name) == 0) order.push_back(name);
    forms[name].push_back(outcomes(result));
  }
  std::vector<std::string> sentences;
  for (std::string const& name : order)
    sentences.push_back(fmt::format("{}: weak outcomes: {}", name, fmt::join(forms[name], "; ")));
  return sentences;
}

}  // namespace

Pattern pattern() {
  Pattern p;
  p.name = "litmus";
  p.meaning =
      "two threads, two locations, and an outcome that only disorder brings about: how often does it show, and which "
      "accesses and fences rule it out?";
  p.types = {Type::i32};
  p.figure = Figure::latency;
  p.formula =
      "none: weak outcomes are counted, over all runs; the time is that of a round: the two sides meet, wait a random "
      "while, and try";
  p.keys = {
      {"test",
       KeyKind::choice,
       "mp",
       {"mp", "sb"},
       "message passing (data, then a flag: flag new and data old?) or store buffering (each stores, then loads "
       "what the other stores: both old?)"},
      {"scope",
       KeyKind::choice,
       "device",
       {"block", "device", "system"},
       "between warps of a block, between blocks, between a block and the host in pinned memory"},
      {"form",
       KeyKind::choice,
       "fenced",
       {"plain", "volatile", "relaxed", "fenced", "atomic"},
       "plain accesses; volatile; relaxed atomics; volatile with a fence of the scope in between; atomics that "
       "order (acquire and release; for sb sequentially consistent). The last two must show no weak outcome"},
      {"iterations", KeyKind::integer, "1000", {}, "rounds of one launch"},
      {"stress", KeyKind::integer, "256", {}, "blocks beside the test that read and write all over memory", 0},
  };
  p.variants = {
      portable("ordered", "memory_fence and its kin, atomic_load and atomic_store", ordered)
          .only_on_devices(not_on_hosts),
      native("native_ordered", "__threadfence and its kin, cuda::atomic_ref", prepare_whole<&Launchers::ordered>)
          .twin_of("ordered"),
  };
  p.on_hosts = "nothing: it would need two teams that run at the same time";
  p.refuse = refuse;
  p.needs = needs;
  p.work = work;
  p.findings = findings;
  return p;
}

}  // namespace tilestride::litmus
