// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "patterns/patterns.hpp"
#include "patterns/reduce/flat.hpp"
#include "patterns/reduce/global.hpp"
#include "patterns/reduce/kokkos.hpp"
#include "patterns/reduce/scratch.hpp"
#include "patterns/reduce/scratch_unrolled.hpp"
#include "patterns/reduce/team.hpp"

namespace tilestride {
namespace {

template <class Kernel>
constexpr Prepare kernel = prepare<Reduce, Kernel, float, double, std::int32_t>;
constexpr Prepare native = prepare_native<Reduce, float, double, std::int32_t>;

std::string refuse(Case const& c) {
  auto const bytes = c.find("bytes")->n[0];
  if (bytes % size_of(c.type) == 0) return "";
  return fmt::format("{} bytes are no whole number of {} elements of {} bytes", bytes, name_of(c.type),
                     size_of(c.type));
}

double bytes(Case const& c) { return static_cast<double>(c.find("bytes")->n[0]); }

/// The input, as much again for the tree in global memory, and the partial sums.
double needs(Case const& c) { return (2 + 1.0 / (reduce_threads - 1)) * bytes(c); }

Work work(Case const& c) { return {bytes(c), bytes(c) / static_cast<double>(size_of(c.type))}; }

Model model(Case const& c, Ceilings const& ceilings) {
  if (ceilings.read == 0) return {};
  return {bytes(c) / ceilings.read, "read"};
}

}  // namespace

Pattern reduce_pattern() {
  Pattern pattern{
      "reduce",
      "the sum of an array: where do partial sums meet, and how much must a thread do before they meet?",
      {Type::f32, Type::f64, Type::i32},
      Figure::bandwidth,
      "time of reading as many bytes: partial sums are to cost nothing",
      {
          {"bytes", KeyKind::bytes, "64 MiB", {}, "size of the array"},
      },
      {
          {"global", "one element a thread, partial sums in global memory", Role::solution, kernel<ReduceInGlobal>, {}},
          {"scratch", "one element a thread, partial sums in scratch", Role::solution, kernel<ReduceInScratch>, {}},
          {"scratch_unrolled",
           "64 bytes a thread in flight, then partial sums in scratch",
           Role::solution,
           kernel<ReduceUnrolled>,
           {}},
          {"team", "64 bytes a thread in flight, then team_reduce", Role::solution, kernel<ReduceByTeam>, {}},
          {"flat", "parallel_reduce, one element an iteration", Role::solution, kernel<ReduceFlat>, {}},
          {"kokkos",
           "parallel_reduce, 64 bytes in flight, one iteration a thread",
           Role::solution,
           kernel<ReduceByKokkos>,
           {}},
          Variant{"native_global", "global in raw CUDA", Role::native, native, {}}.twin_of("global"),
          Variant{"native_dynamic", "scratch in raw CUDA, dynamic shared memory", Role::native, native, {}}.twin_of(
              "scratch"),
          Variant{"native_unrolled", "scratch_unrolled in raw CUDA", Role::native, native, {}}.twin_of(
              "scratch_unrolled"),
          Variant{"native_shuffle", "team in raw CUDA: __shfl_down_sync within a warp", Role::native, native, {}}
              .twin_of("team"),
          {"native_cluster",
           "blocks of a cluster read each other's sums in distributed shared memory",
           Role::native,
           native,
           {}},
          {"vendor", "cub::DeviceReduce::Sum", Role::library, native, {}},
      },
      refuse,
      needs,
      work,
      model,
      ladder_findings,
  };
  pattern.on_hosts =
      "a team is one thread: the trees become loops over 256 elements that stay in its cache, and what counts is that "
      "each thread has a long stretch and several sums";
  return pattern;
}

}  // namespace tilestride
