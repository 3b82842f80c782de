// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Kernels whose threads have one element each: each waits for memory, perhaps for its team, and ends. The device then
// moves no more than what its teams ask for while they come and go, however fast memory is (Little's law: bytes under
// way / time of a team in its place). How fast teams come and go, and what a barrier takes, is measured by the patterns
// `launch` and `fences` on a memory card.

#include <fmt/format.h>

#include <algorithm>

#include "model/case.hpp"
#include "model/spaces.hpp"

namespace tilestride {

/// The card's next larger team.
inline std::int64_t team_on_card(std::int64_t team) {
  std::int64_t on_card = 32;
  while (on_card < team) on_card *= 2;
  return on_card;
}

inline bool is_native(Case const& c) { return c.variant->role == Role::native; }

/// Seconds of each team of a league; 0 where no card says. `op` and `threads` of the pattern launch, `team` on a card.
inline double seconds_of_a_team(Case const& c, char const* op, std::int64_t threads, std::int64_t team) {
  return c.card_seconds(fmt::format("launch/{}/{}/i32/op={}/threads={}/team={}",
                                    is_native(c) ? "native_teams" : "teams", c.space, op, threads, team));
}

/// The same in a league that fills the device many times over.
inline double seconds_of_a_team(Case const& c, char const* op, std::int64_t team) {
  return seconds_of_a_team(c, op, 33554432, team_on_card(team));
}

/// Seconds of a barrier of one team alone: a loop with it less the loop without; not above 0 where no card says.
inline double seconds_of_a_barrier(Case const& c, std::int64_t team) {
  auto const loop = [&](char const* op) {
    return c.card_seconds(fmt::format("fences/{}/{}/i32/op={}/after=nothing/team={}",
                                      is_native(c) ? "native_loop" : "loop", c.space, op, team_on_card(team)));
  };
  return loop("team_barrier") - loop("nothing");
}

/// Seconds of a load from scratch that a thread waits for; 0 where no card says.
inline double seconds_of_a_scratch_load(Case const& c) {
  return c.card_seconds(fmt::format("latency/native_shared/{}/i32/bytes=16KiB", c.space));
}

/// The same from a first-level cache.
inline double seconds_of_a_cached_load(Case const& c) {
  return c.card_seconds(fmt::format("latency/pointer_chase/{}/i32/bytes=16KiB", c.space));
}

/// The same from L2.
inline double seconds_of_a_load_from_l2(Case const& c) {
  return c.card_seconds(fmt::format("latency/pointer_chase/{}/i32/bytes=1MiB", c.space));
}

/// How many teams the device has in their places at a time; 0 where it is not known.
inline double teams_in_place(Case const& c, std::int64_t team) {
  auto const of_one = std::min<std::int64_t>(c.hardware.resident_teams, c.hardware.resident_threads / team);
  return static_cast<double>(c.hardware.multiprocessors) * static_cast<double>(of_one);
}

/// The model of such a kernel: what is slower of `model` and its teams, which do what those of the card's `op` do and
/// take `served` seconds more, of all teams together: what teams share is not served while they wait. None without a
/// card.
inline Model with_teams(Model const& model, Case const& c, double teams, std::int64_t team, char const* op,
                        double served = 0) {
  if (is_host_space(c.space) || model.seconds == 0) return model;
  double const seconds = teams * seconds_of_a_team(c, op, team);
  if (seconds == 0) return {};
  return slower_of(model, {seconds + served, "teams"});
}

/// The model of a kernel whose teams stage tiles: in each of `steps` steps a team loads its share, waits for it, works,
/// and is `served` in that time; `barriers`: of all steps. None without a card.
inline Model with_staging(Model const& served, Case const& c, double teams, std::int64_t team, double steps,
                          double barriers) {
  if (is_host_space(c.space) || served.seconds == 0) return served;
  double const first = seconds_of_a_team(c, "load", team), barrier = seconds_of_a_barrier(c, team);
  double const load = seconds_of_a_load_from_l2(c), places = teams_in_place(c, team);
  if (first == 0 || barrier <= 0 || load == 0 || places == 0) return {};
  double const waits = teams * first + teams / places * (barriers * barrier + (steps - 1) * load);
  return {served.seconds + waits, waits > served.seconds ? "teams" : served.limiter};
}

}  // namespace tilestride
