// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What an access-policy window asks the L2 cache for, and what theory expects of it. Pure functions, shared by the
// pattern's table and by the trials.

#include <algorithm>
#include <string>

#include "model/case.hpp"

namespace tilestride::l2_window {

/// The share of a footprint that the set-aside part of L2 can hold.
inline double fitting_share(double set_aside, double footprint) { return std::min(1.0, set_aside / footprint); }

/// Which lines of the window a variant marks to stay. A variant that marks none opens no window.
enum class Marked {
  none,
  all,
  share,  ///< as the key hit_percent says: what fits, unless it names a ratio
};

/// The window's hitRatio: the share of its lines that are marked to stay.
inline double hit_ratio(Marked marked, Case const& c, double set_aside, double footprint) {
  if (marked == Marked::none) return 0;
  if (marked == Marked::all) return 1;
  std::string const& percent = c.choice("hit_percent");
  return percent == "fit" ? fitting_share(set_aside, footprint) : std::stod(percent) / 100;
}

/// The share of the accesses to the persistent data that L2 serves. They walk it in order, again and again: what is
/// marked to stay does when all of it fits, and evicts itself before its next use when it does not.
inline double persistent_hits(double hit_ratio, double set_aside, double footprint) {
  return hit_ratio * footprint <= set_aside * 1.000001 ? hit_ratio : 0;
}

}  // namespace tilestride::l2_window
