// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A kernel whose threads have one element each: each waits once for memory and ends. The device then moves no more than
// what its teams ask for while they come and go, however fast memory is (Little's law: bytes under way / time of a team
// in its place). How fast teams come and go is measured by the pattern `launch` on a memory card.

#include <fmt/format.h>

#include "model/case.hpp"
#include "model/spaces.hpp"

namespace tilestride {

/// Seconds for so many teams whose threads load one word each; 0 where no card says.
inline double seconds_of_teams(Case const& c, double teams, std::int64_t team) {
  std::int64_t on_card = 32;  // the next larger of the card's team sizes
  while (on_card < team) on_card *= 2;
  char const* const variant = c.variant->role == Role::native ? "native_teams" : "teams";
  return teams *
         c.card_seconds(fmt::format("launch/{}/{}/i32/op=load/threads=33554432/team={}", variant, c.space, on_card));
}

/// The model of such a kernel: what is slower of `model` and its teams. None without a card.
inline Model with_teams(Model const& model, Case const& c, double teams, std::int64_t team) {
  if (is_host_space(c.space) || model.seconds == 0) return model;
  double const seconds = seconds_of_teams(c, teams, team);
  if (seconds == 0) return {};
  return seconds > model.seconds ? Model{seconds, "teams"} : model;
}

}  // namespace tilestride
