// SPDX-License-Identifier: BSD-3-Clause
#include "patterns/fences/fences.hpp"

#include <fmt/format.h>

#include <map>

#include "harness/result.hpp"
#include "patterns/fences/kokkos_words.hpp"
#include "patterns/patterns.hpp"

namespace tilestride {
namespace {

constexpr Prepare native = prepare_native<Fences, std::int32_t>;

Trial kokkos(Bench& bench, Case const& c) {
  static std::map<std::string, std::string> const not_in_kokkos{
      {"syncwarp", "Kokkos has no word for a barrier of a warp's lanes"},
      {"fence_block", "Kokkos has no word for a fence of one team: each of its fences holds for the device"},
      {"fence_system", "Kokkos has no word for a fence that holds beyond the device"},
      {"acquire_load", "Kokkos has no word for a load that acquires: its atomics order nothing"},
  };
  auto const it = not_in_kokkos.find(c.choice("op"));
  return it != not_in_kokkos.end() ? skipped(it->second) : prepare<Fences, KokkosFences, std::int32_t>(bench, c);
}

constexpr std::int64_t most_threads = 1 << 16;

std::string refuse(Case const& c) {
  return c.integer("team") > most_threads ? fmt::format("no device has teams of {} threads", c.integer("team")) : "";
}

double needs(Case const& c) { return 8 * static_cast<double>(c.integer("team") + 64); }
Work work(Case const&) { return {0, 0, fence_steps}; }
Model no_model(Case const&, Ceilings const&) { return {}; }

double nanoseconds(Result const& result) { return 1e9 / result.rate(); }

/// One sentence for each space and team: what each op adds to the loop alone, in CUDA's words where they were run, and
/// in Kokkos' as a multiple.
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
    (c.variant->name == "native" ? op.native : op.kokkos) = nanoseconds(result);
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

Pattern fences_pattern() {
  Pattern pattern{
      "fences",
      "barriers, memory fences, and loads that see what others wrote: what does each cost a team of threads?",
      {Type::i32},
      Figure::latency,
      "none: a latency is measured; the op `nothing` is the loop that the others are in",
      {
          {"op",
           KeyKind::choice,
           "fence_device",
           {"nothing", "team_barrier", "syncwarp", "fence_block", "fence_device", "fence_system", "fence_load",
            "fence_store", "plain_load", "volatile_load", "atomic_load", "acquire_load"},
           "barriers of the team and of each warp; fences within the block, the device and the whole system, for loads "
           "or stores alone (acquire, release; device); loads each of which waits for the last: plain, volatile, "
           "atomic (relaxed, as are Kokkos'), atomic and acquiring"},
          {"after",
           KeyKind::choice,
           "store",
           {"nothing", "store"},
           "what comes before each op: a fence has something to wait for only after a store"},
          {"team", KeyKind::integer, "256", {}, "threads of the one team; one on a host"},
      },
      {
          {"kokkos", "team_barrier, memory_fence, load_fence, store_fence, atomic_load", Role::solution, kokkos, {}},
          Variant{"native", "__syncthreads, __threadfence and its kin, cuda::atomic_ref", Role::native, native, {}}
              .twin_of("kokkos"),
      },
      refuse,
      needs,
      work,
      no_model,
      findings,
  };
  pattern.on_hosts = "one thread: barriers of nobody, and the fences and loads of a core";
  return pattern;
}

}  // namespace tilestride
