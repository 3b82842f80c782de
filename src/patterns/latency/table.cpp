// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "model/result.hpp"
#include "patterns/common/findings.hpp"
#include "patterns/latency/placed.hpp"
#include "patterns/latency/scratch.hpp"

namespace tilestride::latency {
namespace {

/// A share of the memory is resolved by now, where its size is known.
template <Prepare prepare_chase>
Trial chase(Bench& bench, Case const& c) {
  if (line_count(c) == 0)
    return skipped(SkipReason::hardware, fmt::format("{} of a memory whose size is not known: give bytes as a number",
                                                     c.find("bytes")->text()));
  return prepare_chase(bench, c);
}

constexpr Prepare pointer_chase = chase<prepare<Latency, PointerChase, std::int32_t>>;
constexpr Prepare scratch = chase<prepare<Latency, Scratch, std::int32_t>>;
template <auto Launcher>
constexpr Prepare raw = chase<prepare_native<Latency, Launcher, std::int32_t>>;
constexpr Prepare mapped = chase<prepare_over_link<Mapped>>;
template <bool remote>
constexpr Prepare node = chase<on_node<remote>>;

/// A share of the memory has no bytes before the device is known.
std::string refuse(Case const& c) {
  bool const share = c.find("bytes")->percent != 0;
  if (!share && line_count(c) == 0)
    return fmt::format("{} bytes hold no line of {} bytes", c.integer("bytes"), sizeof(Line));
  if (line_count(c) > std::int64_t(1) << 32) return "lines have numbers of 32 bits";
  return "";
}

/// The lines, and their order while they are linked and verified.
double needs(Case const& c) { return static_cast<double>(c.integer("bytes")) * (1 + 4.0 / sizeof(Line)) + 512; }

Work work(Case const& c) { return {0, 0, static_cast<double>(chase_steps(line_count(c)))}; }

double nanoseconds(Result const& result) { return 1e9 / result.rate(); }

/// For each space the latency as the footprint grows, and its memories ranked: at the smallest footprint that most of
/// them hold, where each is in its first cache.
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
    if (result.planned->variant->name == "pointer_chase")
      space.growth.push_back(fmt::format("{:.1f} ns in {}", nanoseconds(result), bytes.text()));
  }
  std::vector<std::string> sentences;
  for (auto& [name, space] : spaces) {
    if (!space.growth.empty()) sentences.push_back(fmt::format("latency/{}: {}", name, fmt::join(space.growth, ", ")));
    std::vector<Result const*> ranked;
    for (auto const& [bytes, memories] : space.footprints) {
      if (memories.size() > ranked.size()) ranked = memories;
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

Pattern pattern() {
  Pattern p;
  p.name = "latency";
  p.meaning = "one thread chases pointers around a random cycle of lines: what is the latency of each kind of memory?";
  p.types = {Type::i32};
  p.figure = Figure::latency;
  p.formula = "none: a latency is measured";
  p.keys = {
      {"bytes", KeyKind::bytes, "64 MiB", {}, "footprint: lines of 128 bytes, of which each holds one link"},
  };
  p.variants = {
      portable("pointer_chase", "through the space's own memory and its caches", pointer_chase),
      portable("scratch", "through a team's scratch, as far as a team can have it", scratch)
          .only_on_devices("a host's scratch is memory like any other"),
      portable("mapped", "through memory of the host that the device maps", mapped).only_on_devices(no_link),
      portable("local", "through memory that was first touched on the NUMA node of the thread", node<false>),
      portable("remote", "through memory that was first touched on another NUMA node", node<true>),
      native("native_registers",
             "no memory: x = a x + b in registers, one 32-bit integer multiply-add a step, whatever the footprint",
             raw<&Launchers::registers>),
      native("native_global", "the same: global memory", raw<&Launchers::global>).twin_of("pointer_chase"),
      native("native_read_only", "global memory by ld.global.nc, the path of read-only data",
             raw<&Launchers::read_only>),
      native("native_shared", "shared memory, as far as a block can have it", raw<&Launchers::shared>)
          .twin_of("scratch"),
      native("native_cluster", "shared memory of the other block of a cluster of two", raw<&Launchers::cluster>),
      native("native_constant", "constant memory, 64 KiB at most", raw<&Launchers::constant>),
      native("native_local", "a thread's own array, indexed at run time: each of its words is a line",
             raw<&Launchers::local>),
      native("native_texture", "a texture over the same global memory", raw<&Launchers::texture>),
      native("native_peer", "the memory of another GPU", raw<&Launchers::peer>),
  };
  p.on_hosts = "a core's caches, level by level, and the reach of its TLB; lines of 128 bytes are two of most hosts'";
  p.refuse = refuse;
  p.needs = needs;
  p.work = work;
  p.model = no_model;
  p.findings = findings;
  return p;
}

}  // namespace tilestride::latency
