// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// How an array is cut into blocks, a team each and an element a thread: shared by the copies that are about how threads
// lie over memory.

#include "harness/prepare.hpp"
#include "harness/values.hpp"

namespace tilestride {

/// n elements in blocks of `size`; the last may hold fewer.
struct Blocks {
  std::int64_t n;
  int size;

  KOKKOS_FUNCTION std::int64_t count() const { return (n + size - 1) / size; }
  KOKKOS_FUNCTION std::int64_t first(int block) const { return std::int64_t(block) * size; }
  KOKKOS_FUNCTION int filled(int block) const {
    std::int64_t const rest = n - first(block);
    return rest < size ? static_cast<int>(rest) : size;
  }
};

/// The most threads that a block of any GPU has. A host has no such limit, but the same decks.
constexpr std::int64_t most_threads = 1024;

inline std::string refuse_team(std::int64_t team) {
  if (team <= most_threads) return "";
  return fmt::format("a team of {} threads is larger than any GPU has: {}", team, most_threads);
}

inline std::string refuse_bytes(std::int64_t bytes, Type type) {
  if (bytes % size_of(type) == 0) return "";
  return fmt::format("{} bytes are no whole number of {} elements of {} bytes", bytes, name_of(type), size_of(type));
}

/// A device's league must not be larger: Kokkos' loop over it adds the size of the league to a team's rank, as an int,
/// and beyond 2^31 would go on with a negative one.
constexpr std::int64_t most_teams = std::int64_t(1) << 30;

/// Why the array cannot be walked by one league; empty when it can.
inline std::string too_many_teams(Blocks const& blocks) {
  if (blocks.count() <= most_teams) return "";
  return fmt::format("needs a league of {} teams; the largest has {}", blocks.count(), most_teams);
}

/// body(thread) for each of the first `count` threads of a team; on a host one thread is all of them in turn.
template <class Exec, class Member, class Body>
KOKKOS_INLINE_FUNCTION void each_thread(Member const& team, int count, Body const& body) {
  if constexpr (is_host<Exec>) {
    for (int thread = 0; thread < count; ++thread) body(thread);
  } else {
    if (team.team_rank() < count) body(team.team_rank());
  }
}

template <class Exec>
auto block_policy(Exec const& exec, Blocks const& blocks, TeamShape const& shape) {
  return Kokkos::TeamPolicy<Exec>(exec, static_cast<int>(blocks.count()), shape.threads, shape.lanes)
      .set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(shape.scratch)));
}

/// body(first, thread, count) for each element: it is number `thread` of a block that begins at `first` and holds
/// `count`.
template <class Exec, class Body>
void for_blocks(char const* label, Exec const& exec, Blocks const& blocks, Body const& body) {
  auto const policy = block_policy(exec, blocks, team_shape<Exec>(blocks.size, 1, 0));
  using Member = typename std::decay_t<decltype(policy)>::member_type;
  Kokkos::parallel_for(
      label, policy, KOKKOS_LAMBDA(Member const& team) {
        std::int64_t const first = blocks.first(team.league_rank());
        int const count = blocks.filled(team.league_rank());
        each_thread<Exec>(team, count, [&](int thread) { body(first, thread, count); });
      });
}

/// True for what poison() left.
template <class T>
KOKKOS_INLINE_FUNCTION bool is_untouched(T x) {
  if constexpr (std::is_integral_v<T>)
    return x == poison_value<T>();
  else
    return x != x;
}

}  // namespace tilestride
