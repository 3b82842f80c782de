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
#include "portable/memory.hpp"
#include "portable/prepare.hpp"

namespace tilestride::latency {

KOKKOS_INLINE_FUNCTION bool operator==(Line const& a, Line const& b) {
  bool alike = a.next == b.next && a.next_line == b.next_line && a.next_word == b.next_word;
  for (int i = 0; i < 28; ++i) alike = alike && a.unused[i] == b.unused[i];
  return alike;
}

/// Loads of one run: the whole cycle where a cache may hold it, enough for the clock where it is short, and not so many
/// that a run takes longer than 0.2 s where each goes to memory.
/// A run ends half a cycle away from where it began if it would else end there: a run without loads then shows.
inline std::int64_t chase_steps(std::int64_t lines) {
  std::int64_t const steps = std::clamp(lines, std::int64_t(1) << 16, std::int64_t(1) << 18);
  return lines > 0 && steps % lines == 0 ? steps - lines / 2 : steps;
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

/// The line after each line.
inline std::vector<std::uint32_t> lines_after(std::vector<std::uint32_t> const& order) {
  std::vector<std::uint32_t> next(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) next[order[i]] = order[(i + 1) % order.size()];
  return next;
}

template <class Space, class T>
struct Latency {
  using Exec = Space;
  using Element = T;
  static constexpr std::int64_t alignment = 512;  ///< of a texture

  Exec exec;
  std::int64_t count;                             ///< lines
  std::vector<std::uint32_t> order;               ///< of the cycle
  std::vector<std::uint32_t> next;                ///< the line after each line, from the order alone
  Kokkos::View<std::uint32_t*, Exec> successors;  ///< the same, where the space can read it
  Memory memory{"tilestride::latency"};
  Line const* lines;
  Kokkos::View<Chase, Exec> chase;

  Latency(Exec const& instance, Case const& c)
      : exec(instance),
        count(line_count(c)),
        order(random_cycle(count)),
        next(lines_after(order)),
        successors(successors_on_device()),
        lines(memory
                  .linked_input<Kokkos::View<Line*, Exec>>(
                      exec, "lines", count,
                      [this](Line* data) {
                        return LineAt{successors.data(), data};
                      },
                      alignment)
                  .data()),
        chase(memory.preset_output<Kokkos::View<Chase*, Exec>>(exec, "chase", 1, Constant<Chase>{{0, 0}}).data()) {}

  Kokkos::View<std::uint32_t*, Exec> successors_on_device() const {
    Kokkos::View<std::uint32_t*, Exec> const there(
        Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "tilestride::latency::successors"), next.size());
    Kokkos::deep_copy(
        exec, there,
        Kokkos::View<std::uint32_t const*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(next.data(), next.size()));
    exec.fence("tilestride::latency::successors");
    return there;
  }

  /// After one run the chase must stand where the cycle, known from its order alone, says.
  Check verify() const {
    Chase found{};
    Kokkos::deep_copy(exec, found, chase);
    exec.fence("tilestride::latency::verify");
    std::int64_t const steps = chase_steps(count);
    std::uint32_t const end = order[static_cast<std::size_t>(steps % count)];
    Check check{found.steps == steps && found.line == end, 1, 0, "the end of the chase exactly"};
    if (check.passed) return check;
    check.wrong = 1;
    check.detail += fmt::format("; stands at line {} after {} steps, expected line {} after {}", found.line,
                                found.steps, end, steps);
    return check;
  }

  std::vector<Yardstick> yardsticks() const { return {}; }

  Arguments native_arguments(Case const&) const { return {lines, count, chase_steps(count), chase.data()}; }

  struct LineAt {
    std::uint32_t const* successors;
    Line const* lines;
    KOKKOS_FUNCTION Line operator()(std::int64_t i) const {
      std::uint32_t const successor = successors[i];
      return {lines + successor, successor, successor * words_of_line + next_word_at, {}};
    }
  };
};

}  // namespace tilestride::latency
