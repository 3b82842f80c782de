// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What theory says of products of matrices, as functions of numbers alone.

#include <algorithm>

#include "patterns/banks.hpp"
#include "plan/case.hpp"

namespace tilestride {

/// Bytes of each end of the copy that products are set against.
inline double yardstick_bytes(double matrices) { return std::min(0x1p27, 16 * matrices); }

/// Roofline: the longest of arithmetic, memory traffic and wavefronts of scratch.
inline Model roofline(Ceilings const& ceilings, double flops, double bytes, double wavefronts) {
  if (ceilings.fma == 0 || ceilings.copy == 0) return {};
  Model model{flops / ceilings.fma, "fma"};
  if (double const t = bytes / ceilings.copy; t > model.seconds) model = {t, "memory"};
  if (ceilings.scratch > 0) {
    if (double const t = wavefronts / ceilings.scratch; t > model.seconds) model = {t, "scratch"};
  }
  return model;
}

// Wavefronts of one request of a warp, for elements of 4 or 8 bytes.

/// 32 neighbours: 128 bytes a wavefront.
inline double wavefronts_of_row(double element) { return element / 4; }

/// One element for all lanes, when it is read with its neighbours, 16 bytes at a time: two wavefronts for as many
/// elements as these are.
inline double wavefronts_of_broadcast(double element) { return element / 8; }

/// The store that turns a tile: lanes that run along rows of `tile` elements write down columns, in which neighbours
/// are `pitch` elements apart.
inline double wavefronts_of_turning_store(int tile, int pitch, int element) {
  LaneAddresses address;
  for (int lane = 0; lane < warp_lanes; ++lane)
    address[static_cast<std::size_t>(lane)] = (lane % tile * pitch + lane / tile) * element;
  return wavefronts(address, element, Direction::store);
}

}  // namespace tilestride
