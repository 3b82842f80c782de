// SPDX-License-Identifier: BSD-3-Clause
#include "patterns/aat/aat.hpp"

#include <algorithm>
#include <cmath>

#include "patterns/aat/coalesced.hpp"
#include "patterns/aat/padded.hpp"
#include "patterns/matmul/blocked.hpp"
#include "patterns/matmul/coalesced.hpp"
#include "patterns/matmul/simple.hpp"
#include "patterns/patterns.hpp"

namespace tilestride {
namespace {

template <class Kernel>
constexpr Prepare kernel = prepare<Aat, Kernel, float, double>;
constexpr Prepare native = prepare_native<Aat, float, double>;
using AatBlocked = ByKind<BlockedOnDevice<true>, HostBlocked>;
constexpr Prepare blocked = prepare_blocked<Aat, AatBlocked, float, double>;

struct Extents {
  double m, k, element;
};
Extents extents(Case const& c) {
  return {static_cast<double>(c.shape()[0]), static_cast<double>(c.shape()[1]), static_cast<double>(size_of(c.type))};
}

/// Of A and C together.
double matrix_bytes(Case const& c) {
  auto const [m, k, e] = extents(c);
  return e * (m * k + m * m);
}

/// A, C; to verify, a product in f64 and its magnitude in f32; the two ends of the copy that bounds them; what blocked
/// needs for itself.
double needs(Case const& c) {
  auto const [m, k, e] = extents(c);
  double const own = c.variant->prepare == blocked ? blocked_bytes(c, c.shape()[0], c.shape()[0], c.shape()[1]) : 0;
  return matrix_bytes(c) + 12 * m * m + 2 * yardstick_bytes(matrix_bytes(c)) + own;
}

/// A read once, C written once, although C is symmetric: half of the arithmetic would do, and only `blocked` knows.
Work work(Case const& c) {
  auto const [m, k, e] = extents(c);
  return {matrix_bytes(c), 2 * m * m * k};
}

Model ideal_model(Case const& c, Ceilings const& ceilings) {
  return roofline(ceilings, work(c).flops, matrix_bytes(c), 0);
}

/// On devices `blocked` makes the elements on the diagonal and below, and writes them twice.
double computed(Case const& c) {
  auto const [m, k, e] = extents(c);
  return c.variant->prepare == blocked && !is_host_space(c.space) ? m * (m + 1) * k : work(c).flops;
}
Model blocked_model(Case const& c, Ceilings const& ceilings) {
  return roofline(ceilings, computed(c), matrix_bytes(c), 0);
}

/// A kernel that needs so many wavefronts for a multiply-add of a warp, from scratch or from the L1 cache, which is the
/// same memory. Two tiles of A come to each multiprocessor once for each tile of C and of the depth, in all variants.
Model tile_model(Case const& c, Ceilings const& ceilings, double wavefronts) {
  auto const [m, k, e] = extents(c);
  auto const tile = static_cast<double>(c.integer("tile"));
  return roofline(ceilings, work(c).flops, e * (2 * m * m * k / tile + m * m), m * m * k / 32 * wavefronts);
}

/// Wavefronts of a load from neighbouring rows of A: the L1 cache serves one line of 128 bytes a cycle, and rows that
/// are shorter share lines.
double lines_of_rows(Case const& c, double rows) {
  auto const [m, k, e] = extents(c);
  return std::ceil(rows * std::min(1.0, k * e / 128));
}

/// The row operand is the same for all lanes of a row of the tile; the column operand has a row of A for each of them.
Model simple_model(Case const& c, Ceilings const& ceilings) {
  auto const tile = static_cast<double>(c.integer("tile"));
  return tile_model(c, ceilings, lines_of_rows(c, 32 / tile) + lines_of_rows(c, tile));
}
Model row_tile_model(Case const& c, Ceilings const& ceilings) {
  auto const tile = static_cast<double>(c.integer("tile"));
  double const e = extents(c).element;
  return tile_model(c, ceilings, wavefronts_of_broadcast(e) + wavefronts_of_row(e) / tile + lines_of_rows(c, tile));
}

/// The distance of rows in the tile that is turned; 0 where none is.
int turned_pitch(Case const& c) {
  auto const tile = static_cast<int>(c.integer("tile"));
  std::string const& name = c.variant->name;
  if (name == "coalesced" || name == "native_coalesced") return tile;
  if (name == "padded" || name == "native_padded") return tile + 1;
  return 0;
}

/// The two stores that fill the tiles: one along rows, one that turns.
double wavefronts_of_stores(Case const& c) {
  auto const element = static_cast<int>(size_of(c.type));
  return wavefronts_of_row(element) +
         wavefronts_of_turning_store(static_cast<int>(c.integer("tile")), turned_pitch(c), element);
}

/// A multiply-add reads from both tiles, and a Tile-th of the stores that filled them is its share.
Model staged_model(Case const& c, Ceilings const& ceilings) {
  double const e = extents(c).element;
  return tile_model(c, ceilings,
                    wavefronts_of_broadcast(e) + wavefronts_of_row(e) +
                        wavefronts_of_stores(c) / static_cast<double>(c.integer("tile")));
}

/// Of one request, as counters tell it: the mean of both stores.
Quantities predict(Case const& c) {
  if (is_host_space(c.space) || c.find("tile") == nullptr || turned_pitch(c) == 0) return {};
  return {{"store wavefronts", wavefronts_of_stores(c) / 2}};
}

}  // namespace

Pattern aat_pattern() {
  Pattern pattern{
      "aat",
      "C = A A^T: what a strided operand costs, and what the bank conflicts cost that its cure brings",
      {Type::f32, Type::f64},
      Figure::compute,
      "roofline: max(2MMK / FMA rate, bytes / copy rate, wavefronts of scratch or L1 / their rate); bytes "
      "e(2MMK/tile + MM), in blocked and the library e(MK + MM); blocked does M(M+1)K flops on devices; wavefronts per "
      "multiply-add of a warp, where a load from R rows "
      "of A in memory touches L(R) = R min(1, Ke/128) lines: simple L(32/tile) + L(tile), row_tile e/8 + (e/4)/tile "
      "+ L(tile), coalesced and padded e/8 + e/4 and a tile-th of both stores that stage: e/4 along rows, counted "
      "bank by bank where it turns the tile (f32, tile 32: 32, padded 1)",
      {
          {"shape", KeyKind::shape, "16384x32", {"M", "K"}, "A is M x K, C is M x M"},
          {"tile", KeyKind::integer, "32", choices_of(ProductTiles{}),
           "edge of the square tile of C a team makes, elements"},
          block_key<AatBlocked, float, double>("rows x columns of C that a team makes x steps of K staged at a time"),
      },
      {
          {"simple",
           "each element from global memory, one operand strided",
           Role::solution,
           kernel<Simple>,
           {"tile"},
           simple_model},
          {"row_tile",
           "the row operand through scratch, the other still strided",
           Role::solution,
           kernel<Coalesced>,
           {"tile"},
           row_tile_model},
          {"coalesced",
           "both through scratch; the store that turns a tile meets bank conflicts",
           Role::solution,
           kernel<AatCoalesced>,
           {"tile"},
           staged_model},
          {"padded",
           "the turned tile one column wider: no bank conflicts",
           Role::solution,
           kernel<AatPadded>,
           {"tile"},
           staged_model},
          {"blocked",
           "half of C, a block in the registers of a team, written twice",
           Role::solution,
           blocked,
           {"block"},
           blocked_model},
          Variant{"native_simple", "simple in raw CUDA", Role::native, native, {"tile"}, simple_model}.twin_of(
              "simple"),
          Variant{"native_row_tile",
                  "row_tile in raw CUDA, where a warp waits for itself alone",
                  Role::native,
                  native,
                  {"tile"},
                  row_tile_model}
              .twin_of("row_tile"),
          Variant{"native_coalesced", "coalesced in raw CUDA", Role::native, native, {"tile"}, staged_model}.twin_of(
              "coalesced"),
          Variant{"native_padded", "padded in raw CUDA", Role::native, native, {"tile"}, staged_model}.twin_of(
              "padded"),
          {"vendor",
           "gemm of cuBLAS, OpenBLAS, which writes all of C (syrk writes half of it)",
           Role::library,
           native,
           {}},
      },
      nullptr,
      needs,
      work,
      ideal_model,
      ladder_findings,
  };
  pattern.on_hosts =
      "a thread makes a tile of C alone, in its vector lanes: a strided operand has to be gathered, a tile brings its "
      "elements together; there are no banks";
  pattern.predict = predict;
  pattern.computed = computed;
  std::vector<std::pair<std::string, std::string>> const slab{{"shape", "16384x32"}, {"tile", "32"}};
  pattern.quoted = {
      {"simple", Type::f32, slab, 12.8, "GB/s", "Tesla V100"},
      {"coalesced", Type::f32, slab, 140.2, "GB/s", "Tesla V100"},
      {"padded", Type::f32, slab, 199.4, "GB/s", "Tesla V100"},
  };
  return pattern;
}

}  // namespace tilestride
