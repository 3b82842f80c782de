// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// How an array is divided into blocks, one per team: shared by the copies that test how threads are mapped to memory.
//
// A block is `per_thread` rows of `team` elements, and a thread has its place in each row. Neighbouring threads access
// neighbouring elements, whatever the number of rows: a warp makes the same requests as `per_thread` warps with one
// element per thread.
//
// There are several rows because each team has a fixed cost. Kokkos' launch adds about 45 instructions per team, and
// with one element per thread the body is one load and one store: on an H200 a copy of 256 MiB of f32 then takes 226
// us, raw CUDA's 207, and the memory would need 129. Neither has enough loads in flight.

#include <Kokkos_BitManipulation.hpp>

#include "patterns/common/per_thread.hpp"
#include "portable/prepare.hpp"
#include "portable/values.hpp"

namespace tilestride {

/// n elements in blocks of team x per_thread; the last may hold fewer.
struct Blocks {
  std::int64_t n;
  int team, per_thread;

  KOKKOS_FUNCTION int size() const { return team * per_thread; }
  KOKKOS_FUNCTION std::int64_t count() const { return (n + size() - 1) / size(); }
  KOKKOS_FUNCTION std::int64_t first(int block) const { return std::int64_t(block) * size(); }
  KOKKOS_FUNCTION int filled(int block) const {
    std::int64_t const rest = n - first(block);
    return rest < size() ? static_cast<int>(rest) : size();
  }
  /// Elements of the row that begins at `row` of a block in which so many are filled.
  KOKKOS_FUNCTION int in_row(int row, int filled) const { return filled - row < team ? filled - row : team; }
};

/// The array of a case whose keys are `bytes` and `per_thread`, in teams of so many threads.
inline Blocks blocks_of(Case const& c, std::int64_t team) {
  return {c.integer("bytes") / size_of(c.type), static_cast<int>(team), static_cast<int>(c.integer("per_thread"))};
}

/// The same for a pattern with a key `team`.
inline Blocks blocks_by_team(Case const& c) { return blocks_of(c, c.integer("team")); }

inline Key per_thread_key() {
  return {"per_thread", KeyKind::integer, "4", choices_of(PerThreadCounts{}),
          "elements a thread has, side by side in steps of the team; it loads all before it stores the first"};
}

/// The most threads that a block of any GPU has. A host has no such limit, but the same decks.
constexpr std::int64_t most_threads = 1024;

inline std::string refuse_team(std::int64_t team) {
  if (team <= most_threads) return "";
  return fmt::format("a team of {} threads is larger than any GPU has: {}", team, most_threads);
}

/// A device's league must not be larger: Kokkos' loop over it adds the size of the league to a team's rank, as an int,
/// and beyond 2^31 would go on with a negative one.
constexpr std::int64_t most_teams = std::int64_t(1) << 30;

/// Why the array cannot be walked by one league; empty when it can.
inline std::string too_many_teams(Blocks const& blocks) {
  if (blocks.count() <= most_teams) return "";
  return fmt::format("needs a league of {} teams; the largest has {}", blocks.count(), most_teams);
}

/// `prepare`, or a skip where the array, cut into the pattern's blocks, is too long for one league.
template <Prepare prepare, Blocks (*blocks_in)(Case const&) = blocks_by_team>
Trial in_one_league(Bench& bench, Case const& c) {
  if (std::string const reason = too_many_teams(blocks_in(c)); !reason.empty())
    return skipped(SkipReason::limit, reason);
  return prepare(bench, c);
}

template <class Exec>
auto block_policy(Exec const& exec, Blocks const& blocks, TeamShape const& shape) {
  return Kokkos::TeamPolicy<Exec>(exec, static_cast<int>(blocks.count()), shape.threads, shape.lanes)
      .set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(shape.scratch)));
}

/// Where an element is: number `thread` of a row of `count` elements, which begins `row` elements into a block, which
/// begins `first` elements into the array.
struct Place {
  std::int64_t first;
  int row, thread, count;

  KOKKOS_FUNCTION int in_block() const { return row + thread; }
  KOKKOS_FUNCTION std::int64_t in_array() const { return first + in_block(); }
};

/// store(place, load(place)) for each place that one thread of a device's team has of a block: all its loads before its
/// first store (Strip in tiles.hpp says why).
template <int PerThread, class Load, class Store>
KOKKOS_INLINE_FUNCTION void move_own_places(int block, int thread, Blocks blocks, Load const& load,
                                            Store const& store) {
  std::int64_t const first = blocks.first(block);
  int const filled = blocks.filled(block);
  auto const place = [&](int row) { return Place{first, row, thread, blocks.in_row(row, filled)}; };
  decltype(load(place(0))) held[PerThread];
  for (int i = 0; i < PerThread; ++i) {
    if (i * blocks.team + thread < filled) held[i] = load(place(i * blocks.team));
  }
  for (int i = 0; i < PerThread; ++i) {
    if (i * blocks.team + thread < filled) store(place(i * blocks.team), held[i]);
  }
}

/// The same for all places of a team's block. On a host its one thread walks them row by row.
template <int PerThread, class Exec, class Member, class Load, class Store>
KOKKOS_INLINE_FUNCTION void move_block(Member const& team, Blocks blocks, Load const& load, Store const& store) {
  if constexpr (is_host<Exec>) {
    std::int64_t const first = blocks.first(team.league_rank());
    int const filled = blocks.filled(team.league_rank());
    auto const place = [&](int row, int thread) { return Place{first, row, thread, blocks.in_row(row, filled)}; };
    for (int row = 0; row < filled; row += blocks.team) {
      int const count = place(row, 0).count;
      for (int thread = 0; thread < count; ++thread) store(place(row, thread), load(place(row, thread)));
    }
  } else {
    move_own_places<PerThread>(team.league_rank(), team.team_rank(), blocks, load, store);
  }
}

/// The team's block of an array, by way of body.load(place) and body.store(place, x).
template <int PerThread, class Exec, class Body>
struct MoveBlock {
  Blocks blocks;
  Body body;
  KOKKOS_FUNCTION void operator()(typename Kokkos::TeamPolicy<Exec>::member_type const& team) const {
    move_block<PerThread, Exec>(
        team, blocks, [this](Place const& at) { return body.load(at); },
        [this](Place const& at, auto x) { body.store(at, x); });
  }
};

/// Calls body(std::integral_constant<int, N>) for how many elements a thread of a device has. A host's thread has the
/// whole block, whatever N is: one instance of its kernel will do.
template <class Exec, class Body>
void with_per_thread(int per_thread, Body const& body) {
  if constexpr (is_host<Exec>)
    body(std::integral_constant<int, 1>{});
  else
    with_int(PerThreadCounts{}, per_thread, body);
}

/// body.store(place, body.load(place)) for each element, one team per block. move_matrix (tiles.hpp) explains why these
/// are not lambdas.
template <class Exec, class Body>
void move_blocks(char const* label, Exec const& exec, Blocks const& blocks, Body const& body) {
  with_per_thread<Exec>(blocks.per_thread, [&](auto per_thread) {
    Kokkos::parallel_for(label, block_policy(exec, blocks, team_shape<Exec>(blocks.team, 1, 0)),
                         MoveBlock<decltype(per_thread)::value, Exec, Body>{blocks, body});
  });
}

/// True for what poison() left, bit for bit.
template <class T>
KOKKOS_INLINE_FUNCTION bool is_untouched(T x) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  constexpr T poison = poison_value<T>();
  return Kokkos::bit_cast<Bits>(x) == Kokkos::bit_cast<Bits>(poison);
}

}  // namespace tilestride
