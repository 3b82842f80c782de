// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// One thread follows a chain of addresses through all lines of a block of memory, in an order that no prefetcher can
// guess; the chain is closed, a single random cycle:
//
//   for s in steps:  p = p->next
//
// No load can begin before the previous one has ended: time / steps is the latency of the memory that holds that many
// bytes. A run continues where the previous one stopped. So a run may be shorter than the cycle, and a line is still
// accessed again only after all others.

#include <algorithm>
#include <numeric>
#include <random>

#include "patterns/latency/native.hpp"
#include "portable/prepare.hpp"
#include "portable/values.hpp"

namespace tilestride::latency {

/// Loads of one run: the whole cycle where a cache may hold it, enough for the clock where it is short, and not so many
/// that a run takes longer than 0.2 s where each goes to memory.
inline std::int64_t chase_steps(std::int64_t lines) {
  return std::clamp(lines, std::int64_t(1) << 16, std::int64_t(1) << 18);
}

/// How many lines the footprint of a case holds: 0 where it is a share of a memory whose size is not known.
inline std::int64_t line_count(Case const& c) { return c.integer("bytes") / std::int64_t(sizeof(Line)); }

/// The lines in the order of the cycle, from line 0 on; any order of the others is a single cycle.
inline std::vector<std::uint32_t> random_cycle(std::int64_t lines) {
  std::vector<std::uint32_t> order(static_cast<std::size_t>(lines));
  std::iota(order.begin(), order.end(), 0u);
  std::shuffle(order.begin() + 1, order.end(), std::mt19937_64(1));
  return order;
}

template <class Space, class T>
struct Latency {
  using Exec = Space;
  using Element = T;
  static constexpr std::int64_t alignment = 512;  ///< of a texture

  Exec exec;
  std::int64_t count;                ///< lines
  std::vector<std::uint32_t> order;  ///< of the cycle
  Kokkos::View<char*, Exec> storage;
  Line* lines;  ///< in storage
  Kokkos::View<Chase, Exec> chase;

  Latency(Exec const& instance, Case const& c)
      : exec(instance),
        count(line_count(c)),
        order(random_cycle(count)),
        storage(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "tilestride::latency::lines"),
                static_cast<std::size_t>(count * std::int64_t(sizeof(Line)) + alignment)),
        lines(reinterpret_cast<Line*>((reinterpret_cast<std::uintptr_t>(storage.data()) + alignment - 1) / alignment *
                                      alignment)),
        chase(Kokkos::view_alloc(exec, "tilestride::latency::chase")) {
    link();
    poison();
  }

  void link() const {
    Kokkos::View<std::uint32_t const*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> const here(order.data(),
                                                                                              order.size());
    Kokkos::View<std::uint32_t*, Exec> const there(
        Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "tilestride::latency::order"), order.size());
    Kokkos::deep_copy(exec, there, here);
    Kokkos::parallel_for("tilestride::latency::link",
                         Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, count),
                         LinkLines{there.data(), lines, count});
    exec.fence("tilestride::latency::link");
  }

  /// Back to the start, with no step done.
  void poison() const { Kokkos::deep_copy(exec, chase, Chase{0, 0}); }

  /// After that many steps the chase must stand where the cycle, known from its order alone, says; and the lines must
  /// be as they were.
  Check verify() const {
    Chase found{};
    Kokkos::deep_copy(exec, found, chase);
    exec.fence("tilestride::latency::verify");
    Kokkos::View<std::uint32_t*, Exec> const successors(
        Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "tilestride::latency::successors"), order.size());
    std::vector<std::uint32_t> expected(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) expected[order[i]] = order[(i + 1) % order.size()];
    Kokkos::deep_copy(exec, successors,
                      Kokkos::View<std::uint32_t const*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(expected.data(),
                                                                                                     expected.size()));
    Check check = check_all(exec, count, IsLinked{successors.data(), lines}, "the end of the chase and every line");
    std::uint32_t const end = order[static_cast<std::size_t>(found.steps % count)];
    if (found.steps > 0 && found.steps % chase_steps(count) == 0 && found.line == end) return check;
    check.passed = false;
    ++check.wrong;
    check.detail += fmt::format("; stands at line {} after {} steps, expected line {}", found.line, found.steps, end);
    return check;
  }

  std::vector<Yardstick> yardsticks() const { return {}; }

  Arguments native_arguments(Case const&) const { return {lines, count, chase_steps(count), chase.data()}; }

  struct LinkLines {
    std::uint32_t const* order;
    Line* lines;
    std::int64_t count;
    KOKKOS_FUNCTION void operator()(std::int64_t i) const {
      std::uint32_t const next = order[i + 1 < count ? i + 1 : 0];
      lines[order[i]] = {lines + next, next, next * words_of_line + next_word_at};
    }
  };

  struct IsLinked {
    std::uint32_t const* successors;
    Line const* lines;
    KOKKOS_FUNCTION bool operator()(std::int64_t i) const {
      return lines[i].next == lines + successors[i] && lines[i].next_line == successors[i];
    }
  };
};

}  // namespace tilestride::latency
