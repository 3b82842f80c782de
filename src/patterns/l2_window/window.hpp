// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What an access-policy window asks the L2 cache for, and what theory expects of it. Pure functions, shared by the
// pattern's table and by the trials.

#include <algorithm>
#include <cmath>
#include <string>

#include "model/case.hpp"

namespace tilestride::l2_window {

/// The part of L2 that a case gets when it asks for `asked` bytes: whole steps of the device, and no more than it
/// allows. What it asks for, where the device is not known.
inline double granted_set_aside(double asked, Hardware const& hardware) {
  double const step = hardware.set_aside_step, most = hardware.most_set_aside;
  double const rounded = step > 0 ? std::ceil(asked / step) * step : asked;
  return most > 0 ? std::min(rounded, most) : rounded;
}

/// The share of a footprint that the set-aside part of L2 can hold.
inline double fitting_share(double set_aside, double footprint) { return std::min(1.0, set_aside / footprint); }

/// Which lines of the window a variant marks to stay. A variant that marks none opens no window.
enum class Marked {
  none,
  all,
  share,    ///< as the key hit_percent says: what fits, unless it names a ratio
  listing,  ///< as the guide's listing: of a window of fixed size
};

/// What a case asks of L2, in bytes, and the part of it that it gets.
struct Window {
  double set_aside;
  double bytes;      ///< from the first of the persistent data on
  double hit_ratio;  ///< the share of its lines that are marked to stay
};

/// `footprint`: the bytes of the persistent data.
inline Window window_of(Marked marked, Case const& c, double footprint) {
  auto const set_aside = granted_set_aside(static_cast<double>(c.integer("set_aside")), c.hardware);
  double const widest = c.hardware.widest_window > 0 ? std::min(c.hardware.widest_window, footprint) : footprint;
  if (marked == Marked::none) return {set_aside, 0, 0};
  if (marked == Marked::all) return {set_aside, widest, 1};
  if (marked == Marked::share) {
    std::string const& percent = c.choice("hit_percent");
    return {set_aside, widest, percent == "fit" ? fitting_share(set_aside, widest) : std::stod(percent) / 100};
  }
  auto const asked = static_cast<double>(c.integer("window")), percent = static_cast<double>(c.integer("percent"));
  return {set_aside, std::min(asked, widest), percent > 0 ? percent / 100 : std::min(1.0, asked / footprint)};
}

/// The share of the accesses to the persistent data that L2 serves. They walk it in order, again and again: what is
/// marked to stay does when all of it fits, and evicts itself before its next use when it does not.
inline double persistent_hits(Window const& window, double footprint) {
  double const stays = window.hit_ratio * window.bytes;
  return stays <= window.set_aside * 1.000001 ? stays / footprint : 0;
}

}  // namespace tilestride::l2_window
