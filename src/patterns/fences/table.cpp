// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>

#include "model/result.hpp"
#include "patterns/common/findings.hpp"
#include "patterns/fences/loop.hpp"

namespace tilestride::fences {
namespace {

constexpr Prepare native_loop = prepare_native<Fences, &Launchers::loop, std::int32_t>;

Trial loop(Bench& bench, Case const& c) {
  static std::map<std::string, std::string> const not_in_kokkos{
      {"syncwarp", "a barrier of a warp's lanes is not available in Kokkos"},
      {"fence_block", "a fence of team scope is not available in Kokkos: all of its fences have device scope"},
      {"fence_system", "a fence of system scope is not available in Kokkos"},
      {"acquire_load", "an acquiring load is not available in Kokkos: its atomics are relaxed"},
  };
  if (auto const it = not_in_kokkos.find(c.choice("op")); it != not_in_kokkos.end())
    return skipped(SkipReason::not_in_kokkos, it->second);
  return prepare<Fences, Loop, std::int32_t>(bench, c);
}

constexpr std::int64_t most_threads = 1 << 16;

std::string refuse(Case const& c) {
  return c.integer("team") > most_threads ? fmt::format("no device has teams of {} threads", c.integer("team")) : "";
}

double needs(Case const& c) { return 8 * static_cast<double>(c.integer("team") + 64); }
Work work(Case const&) { return {0, 0, steps}; }

double nanoseconds(Result const& result) { return 1e9 / result.rate(); }

/// One sentence for each space and team: the time of each op, in raw CUDA where that was run, and in Kokkos as a
/// multiple.
std::vector<std::string> findings(std::vector<Result> const& results) {
  struct Op {
    double kokkos = 0, native = 0;
  };
  struct Loop {
    std::vector<std::string> order;
    std::map<std::string, Op> ops;
  };
  std::vector<std::string> order;
  std::map<std::string, Loop> loops;
  for (Result const& result : results) {
    if (result.outcome != Outcome::passed) continue;
    Case const& c = *result.planned;
    std::string const team = is_host_space(c.space) ? "one thread" : fmt::format("team {}", c.integer("team"));
    std::string const name = fmt::format("fences/{}: {}{}", c.space, team,
                                         c.choice("after") == "store" ? ", after a store of each thread" : "");
    if (loops.count(name) == 0) order.push_back(name);
    Loop& loop = loops[name];
    if (loop.ops.count(c.choice("op")) == 0) loop.order.push_back(c.choice("op"));
    Op& op = loop.ops[c.choice("op")];
    (c.variant->role == Role::native ? op.native : op.kokkos) = nanoseconds(result);
  }
  std::vector<std::string> sentences;
  for (std::string const& name : order) {
    Loop& loop = loops[name];
    std::vector<std::string> parts;
    for (std::string const& op : loop.order) {
      Op const& times = loop.ops[op];
      std::string part = fmt::format("{} {:.1f} ns", op, times.native > 0 ? times.native : times.kokkos);
      if (times.native > 0 && times.kokkos > 0)
        part += fmt::format(" ({:.2f}x by Kokkos)", times.kokkos / times.native);
      parts.push_back(part);
    }
    sentences.push_back(fmt::format("{}: {}", name, fmt::join(parts, ", ")));
  }
  return sentences;
}

}  // namespace

Pattern pattern() {
  Pattern p;
  p.name = "fences";
  p.meaning = "barriers, memory fences, and loads that see what others wrote: what does each cost a team of threads?";
  p.types = {Type::i32};
  p.figure = Figure::latency;
  p.formula = "none: a latency is measured; the op `nothing` is the loop that the others are in";
  p.keys = {
      {"op",
       KeyKind::choice,
       "fence_device",
       {"nothing", "team_barrier", "syncwarp", "fence_block", "fence_device", "fence_system", "fence_load",
        "fence_store", "plain_load", "volatile_load", "atomic_load", "acquire_load"},
       "barriers of the team and of each warp; fences within the block, the device and the whole system, for loads or "
       "stores alone (acquire, release; device); loads each of which waits for the last: plain, volatile, atomic "
       "(relaxed, as are Kokkos'), atomic and acquiring"},
      {"after",
       KeyKind::choice,
       "store",
       {"nothing", "store"},
       "what comes before each op: a fence has something to wait for only after a store"},
      {"team", KeyKind::integer, "256", {}, "threads of the one team; one on a host"},
  };
  p.variants = {
      portable("loop", "team_barrier, memory_fence, load_fence, store_fence, atomic_load", loop),
      native("native_loop", "__syncthreads, __threadfence and its kin, cuda::atomic_ref", native_loop).twin_of("loop"),
  };
  p.on_hosts = "one thread: barriers of a team of one, and the fences and loads of a core";
  p.refuse = refuse;
  p.needs = needs;
  p.work = work;
  p.model = no_model;
  p.findings = findings;
  return p;
}

}  // namespace tilestride::fences
