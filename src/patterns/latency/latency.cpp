// SPDX-License-Identifier: BSD-3-Clause
#include "patterns/latency/latency.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "harness/result.hpp"
#include "patterns/latency/pointer_chase.hpp"
#include "patterns/patterns.hpp"

namespace tilestride {
namespace {

constexpr Prepare native = prepare_native<Latency, std::int32_t>;

/// A share of the memory is resolved when the case runs, and then large enough.
std::string refuse(Case const& c) {
  Value const& bytes = *c.find("bytes");
  if (bytes.percent != 0) return "";
  if (bytes.n[0] < std::int64_t(sizeof(Line)))
    return fmt::format("{} bytes hold no line of {} bytes", bytes.n[0], sizeof(Line));
  if (bytes.n[0] / std::int64_t(sizeof(Line)) > std::int64_t(1) << 32) return "lines have numbers of 32 bits";
  return "";
}

/// The lines, and their order while they are linked and verified.
double needs(Case const& c) {
  double const bytes = static_cast<double>(c.find("bytes")->n[0]);
  return bytes * (1 + 4.0 / sizeof(Line)) + 512;
}

Work work(Case const& c) {
  return {0, 0, static_cast<double>(chase_steps(c.find("bytes")->n[0] / std::int64_t(sizeof(Line))))};
}

Model no_model(Case const&, Ceilings const&) { return {}; }

double nanoseconds(Result const& result) { return 1e9 / result.rate(); }

/// For each space the latency as the footprint grows, and its memories ranked: at the footprint that most of them hold,
/// the largest such.
std::vector<std::string> findings(std::vector<Result> const& results) {
  struct Space {
    std::vector<std::string> growth;
    std::map<std::int64_t, std::vector<Result const*>> footprints;
  };
  std::map<std::string, Space> spaces;
  for (Result const& result : results) {
    if (result.outcome != Outcome::passed) continue;
    Space& space = spaces[result.planned->space];
    Value const& bytes = *result.planned->find("bytes");
    space.footprints[bytes.n[0]].push_back(&result);
    if (result.planned->variant->role == Role::solution)
      space.growth.push_back(fmt::format("{:.1f} ns in {}", nanoseconds(result), bytes.text()));
  }
  std::vector<std::string> sentences;
  for (auto& [name, space] : spaces) {
    if (!space.growth.empty()) sentences.push_back(fmt::format("latency/{}: {}", name, fmt::join(space.growth, ", ")));
    std::vector<Result const*> ranked;
    for (auto const& [bytes, memories] : space.footprints) {
      if (memories.size() >= ranked.size()) ranked = memories;
    }
    if (ranked.size() < 2) continue;
    std::stable_sort(ranked.begin(), ranked.end(),
                     [](Result const* a, Result const* b) { return nanoseconds(*a) < nanoseconds(*b); });
    std::vector<std::string> places;
    for (Result const* result : ranked)
      places.push_back(fmt::format("{} {:.1f} ns", result->planned->variant->name, nanoseconds(*result)));
    sentences.push_back(fmt::format("latency/{}: at {} {}", name, ranked.front()->planned->find("bytes")->text(),
                                    fmt::join(places, " < ")));
  }
  return sentences;
}

}  // namespace

Pattern latency_pattern() {
  Pattern pattern{
      "latency",
      "one thread chases pointers around a random cycle of lines: how long does each kind of memory let it wait?",
      {Type::i32},
      Figure::latency,
      "none: a latency is measured",
      {
          {"bytes", KeyKind::bytes, "64 MiB", {}, "footprint: lines of 128 bytes, of which each holds one link"},
      },
      {
          {"pointer_chase",
           "through the space's own memory and its caches",
           Role::solution,
           prepare<Latency, PointerChase, std::int32_t>,
           {}},
          Variant{"native_global", "the same: global memory", Role::native, native, {}}.twin_of("pointer_chase"),
          {"native_shared", "shared memory, as far as a block can have it", Role::native, native, {}},
          {"native_constant", "constant memory, 64 KiB at most", Role::native, native, {}},
          {"native_local",
           "a thread's own array, indexed at run time: each of its words is a line",
           Role::native,
           native,
           {}},
          {"native_texture", "a texture over the same global memory", Role::native, native, {}},
      },
      refuse,
      needs,
      work,
      no_model,
      findings,
  };
  pattern.on_hosts =
      "a core's caches, level by level, and the reach of its TLB; lines of 128 bytes are two of most hosts'";
  return pattern;
}

}  // namespace tilestride
