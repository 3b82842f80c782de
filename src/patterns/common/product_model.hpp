// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What theory says of products of matrices, as functions of numbers alone.

#include <algorithm>

#include "model/case.hpp"
#include "patterns/common/banks.hpp"

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

/// Wavefronts that multiply-adds make of which each warp of them needs so many; none are counted where the rules of
/// banks.hpp, and with them the numbers below, do not hold.
inline double wavefronts_of_products(Hardware const& hardware, double multiply_adds, double of_a_warp) {
  return hardware.banks == 32 ? multiply_adds / hardware.warp * of_a_warp : 0;
}

// Wavefronts of one request of a warp, for elements of 4 or 8 bytes.

/// 32 neighbours: 128 bytes a wavefront.
inline double wavefronts_of_row(double element) { return element / 4; }

/// One element for all lanes, when it is read with its neighbours, 16 bytes at a time: two wavefronts for as many
/// elements as these are.
inline double wavefronts_of_broadcast(double element) { return element / 8; }

/// The store that turns a tile: lanes that run along rows of `tile` elements write down columns, in which neighbours
/// are `pitch` elements apart. Of devices whose bank_rules() are nvidia_banks.
inline double wavefronts_of_turning_store(int tile, int pitch, int element) {
  auto const turned = [=](int lane) { return (lane % tile * pitch + lane / tile) * element; };
  return wavefronts(nvidia_banks, lane_addresses(nvidia_banks.lanes, turned), element, Direction::store);
}

}  // namespace tilestride
