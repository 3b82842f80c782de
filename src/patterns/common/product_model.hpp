// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What theory says of products of matrices, as functions of numbers alone.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "model/case.hpp"
#include "patterns/common/banks.hpp"

namespace tilestride {

/// Bytes of each end of the copy that products are set against.
inline double yardstick_bytes(double matrices) { return std::min(0x1p27, 16 * matrices); }

/// Roofline: the longest of arithmetic, memory traffic and wavefronts of scratch.
inline Model roofline(Ceilings const& ceilings, double flops, double bytes, double wavefronts) {
  if (ceilings.fma == 0 || ceilings.copy == 0) return {};
  Model const model = slower_of({flops / ceilings.fma, "fma"}, {bytes / ceilings.copy, "memory"});
  return ceilings.scratch > 0 ? slower_of(model, {wavefronts / ceilings.scratch, "scratch"}) : model;
}

/// A kernel whose teams make a block of C each in registers: first they compute it, then they store it, and few are
/// resident that could do the one while others do the other.
inline Model compute_then_store(Ceilings const& ceilings, double flops, double read, double stored) {
  if (ceilings.fma == 0 || ceilings.copy == 0) return {};
  return slower_of({flops / ceilings.fma + stored / ceilings.copy, "fma, stores"},
                   {(read + stored) / ceilings.copy, "memory"});
}

/// Wavefronts that multiply-adds make of which each warp of them needs so many; none are counted where the rules of
/// banks.hpp, and with them the numbers below, do not hold.
inline double wavefronts_of_products(Hardware const& hardware, double multiply_adds, double of_a_warp) {
  return hardware.banks == 32 ? multiply_adds / hardware.warp * of_a_warp : 0;
}

/// The bytes that kernels ask global memory for which load so many elements for each multiply-add, and store C once.
inline double requested_by_product(double multiply_adds, double loads, double elements_of_c, double element) {
  return element * (multiply_adds * loads + elements_of_c);
}

/// The same of kernels that hold a block of an m x n C in registers, by its name: "128x64x8" is rows x columns x steps.
/// Blocks at an edge load as much as the others; of a symmetric C there are those on the diagonal and below. What
/// blocks whose depth is split leave to be summed is not counted. 0 where no block has such a name: "auto", and on
/// hosts.
inline double requested_by_blocks(Case const& c, double m, double n, double k, bool symmetric) {
  double rows = 0, columns = 0;
  char next = 0;
  if (std::sscanf(c.choice("block").c_str(), "%lfx%lf%c", &rows, &columns, &next) != 3 || next != 'x') return 0;
  double const down = std::ceil(m / rows), across = std::ceil(n / columns);
  double const blocks = symmetric ? down * (down + 1) / 2 : down * across;
  return static_cast<double>(size_of(c.type)) * (blocks * (rows + columns) * k + m * n);
}

/// Loads of one operand from global memory, by a warp whose lanes make an element of C each, in one step of the depth.
struct Loads {
  double requests, sectors;
};

/// Those of the tutorials' kernels, for tiles whose rows are whole sectors, and a depth that is whole tiles.
struct TileLoads {
  double tile, element, warp, sector;

  /// A tile that the team stages: one request brings a warp's share of it, for `tile` steps.
  Loads staged() const { return {1 / tile, warp * element / sector / tile}; }
  /// Its row of A, the same for all lanes of a row of the tile.
  Loads row() const { return {1, warp / tile}; }
  /// Its columns of B, side by side and the same for all rows of the tile.
  Loads columns() const { return {1, tile * element / sector}; }
  /// Its columns of B, where each lies in a row of memory of its own.
  Loads strided_columns() const { return {1, tile}; }
};

/// What counters say of all loads of a product of M x K and K x N; nothing where tiles are cut off at an edge.
template <class LoadsOf>
Quantities predict_loads(Case const& c, double m, double n, double k, LoadsOf const& loads_of) {
  auto const tile = static_cast<double>(c.integer("tile"));
  auto const is_whole = [tile](double extent) { return std::fmod(extent, tile) == 0; };
  if (c.hardware.banks != 32 || c.hardware.sector == 0 || !is_whole(m) || !is_whole(n) || !is_whole(k)) return {};
  TileLoads const loads{tile, static_cast<double>(size_of(c.type)), static_cast<double>(c.hardware.warp),
                        static_cast<double>(c.hardware.sector)};
  auto const [a, b] = loads_of(loads);
  double const steps = m * n * k / c.hardware.warp;  // of all warps
  return {{"load requests", steps * (a.requests + b.requests)}, {"load sectors", steps * (a.sectors + b.sectors)}};
}

// Wavefronts of one request of a warp, for elements of 4 or 8 bytes.

/// 32 neighbours: 128 bytes a wavefront.
inline double wavefronts_of_row(double element) { return element / 4; }

/// One element for all lanes, when it is read with its neighbours, 16 bytes at a time: two wavefronts for as many
/// elements as these are.
inline double wavefronts_of_broadcast(double element) { return element / 8; }

/// The mean of what those kernels load from scratch: the row of A in packs of 16 bytes, and, where B is staged too, its
/// columns one by one. Of devices whose bank_rules() are nvidia_banks.
inline double mean_load_wavefronts(int tile, int element, bool staged_b) {
  auto const row = [=](int lane) { return lane / tile * tile * element; };
  auto const columns = [=](int lane) { return lane % tile * element; };
  double const packs = element / 16.0;  // of A, for one step of the depth
  double const of_pack = wavefronts(nvidia_banks, lane_addresses(nvidia_banks.lanes, row), 16, Direction::load);
  if (!staged_b) return of_pack;
  double const of_b = wavefronts(nvidia_banks, lane_addresses(nvidia_banks.lanes, columns), element, Direction::load);
  return (packs * of_pack + of_b) / (packs + 1);
}

/// Those loads, and what one store to scratch takes, where whole tiles are counted.
inline Quantities with_scratch(Quantities whole, Case const& c, bool staged_b, double of_store) {
  if (whole.empty()) return {};
  auto const tile = static_cast<int>(c.integer("tile"));
  whole.emplace_back("load wavefronts", mean_load_wavefronts(tile, static_cast<int>(size_of(c.type)), staged_b));
  whole.emplace_back("store wavefronts", of_store);
  return whole;
}

/// The store that turns a tile: lanes that run along rows of `tile` elements write down columns, in which neighbours
/// are `pitch` elements apart. Of devices whose bank_rules() are nvidia_banks.
inline double wavefronts_of_turning_store(int tile, int pitch, int element) {
  auto const turned = [=](int lane) { return (lane % tile * pitch + lane / tile) * element; };
  return wavefronts(nvidia_banks, lane_addresses(nvidia_banks.lanes, turned), element, Direction::store);
}

}  // namespace tilestride
