// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A kernel whose threads have one element each: each waits once for memory and ends. The device then moves no more than
// what its teams ask for while they come and go, however fast memory is (Little's law: bytes under way / time of a team
// in its place). How fast teams come and go is measured by the pattern `launch` on a memory card.

#include <fmt/format.h>

#include "model/case.hpp"
#include "model/spaces.hpp"

namespace tilestride {

/// The card's next larger team.
inline std::int64_t team_on_card(std::int64_t team) {
  std::int64_t on_card = 32;
  while (on_card < team) on_card *= 2;
  return on_card;
}

/// Seconds of each team of a league; 0 where no card says. `op` and `threads` of the pattern launch, `team` on a card.
inline double seconds_of_a_team(Case const& c, char const* op, std::int64_t threads, std::int64_t team) {
  char const* const variant = c.variant->role == Role::native ? "native_teams" : "teams";
  return c.card_seconds(fmt::format("launch/{}/{}/i32/op={}/threads={}/team={}", variant, c.space, op, threads, team));
}

/// The model of such a kernel: what is slower of `model` and its teams. None without a card.
inline Model with_teams(Model const& model, Case const& c, double teams, std::int64_t team) {
  if (is_host_space(c.space) || model.seconds == 0) return model;
  double const seconds = teams * seconds_of_a_team(c, "load", 33554432, team_on_card(team));
  if (seconds == 0) return {};
  return slower_of(model, {seconds, "teams"});
}

}  // namespace tilestride
