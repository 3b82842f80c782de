// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What the naive products of matrices cost a host, by the memory card: rows of sums that are updated (the pattern
// steps), tiles that are staged, and C that is stored. The card's rows have 32 elements, as those of tiles of 32 x 32.

#include "patterns/common/host_steps.hpp"

namespace tilestride {

/// What moves a C of so many bytes, which come to the cache before they are written.
inline double seconds_of_result(Case const& c, double bytes) { return seconds_of_moved_bytes(c, 2 * bytes, bytes); }

/// The product of M x K and K x N by tiles, each made by one thread.
struct ProductOnHost {
  Case const& c;
  double m, n, k;

  static constexpr double edge = 32;
  static double tiles(double extent) { return std::ceil(extent / edge); }
  double element() const { return static_cast<double>(size_of(c.type)); }

  /// Each step of the depth adds to the rows that are there.
  double updates(char const* variant) const { return seconds_of_steps(c, variant, m * tiles(n) * k); }
  /// The same with staged tiles, in which what is outside is 0: to all rows.
  double whole_updates(char const* variant) const {
    return seconds_of_steps(c, variant, tiles(m) * edge * tiles(n) * k);
  }
  /// And of whole tiles in depth, too.
  double updates_of_tiles() const {
    return seconds_of_steps(c, "update", tiles(m) * edge * tiles(n) * tiles(k) * edge);
  }

  /// A tile of a matrix of so many bytes for each tile of C and of the depth.
  double staging(double bytes, double pitch) const {
    return seconds_of_staging(c, tiles(m) * tiles(n) * tiles(k) * edge * edge, bytes, pitch);
  }

  /// C: a step with a test for each element, and what moves it.
  double stored() const {
    double const step = seconds_of_steps(c, "guarded", m * n), moved = seconds_of_result(c, m * n * element());
    return step == 0 || moved == 0 ? 0 : step + moved;
  }

  double league() const { return seconds_of_a_league(c, tiles(m) * tiles(n)); }

  /// None where tiles are not those of the card.
  Model model(std::initializer_list<double> parts) const {
    return static_cast<double>(c.integer("tile")) == edge ? host_model(parts, "steps") : Model{};
  }
};

/// The blocked product on a host: multiply-adds, and then C, which a tile stores when its sums are done.
inline Model blocked_on_host(Case const& c, Ceilings const& ceilings, double flops, double bytes_of_c) {
  if (ceilings.fma == 0) return {};
  return host_model({flops / ceilings.fma, seconds_of_result(c, bytes_of_c)}, "fma");
}

}  // namespace tilestride
