// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include "patterns/aat/coalesced.hpp"
#include "patterns/aat/padded.hpp"
#include "patterns/aat/problem.hpp"
#include "patterns/common/findings.hpp"
#include "patterns/common/product_on_host.hpp"
#include "patterns/common/teams_on_card.hpp"
#include "patterns/matmul/blocked.hpp"
#include "patterns/matmul/coalesced.hpp"
#include "patterns/matmul/simple.hpp"

namespace tilestride::aat {
namespace {

template <class Kernel>
constexpr Prepare kernel = prepare<Aat, Kernel, float, double>;
using Blocked = ByKind<matmul::BlockedOnDevice<true>, matmul::BlockedOnHost>;
constexpr Prepare blocked = prepare_blocked<Aat, Blocked, float, double>;
template <auto Launcher>
constexpr Prepare raw = prepare_native<Aat, Launcher, float, double>;

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

/// A, C; to verify, a product in f64 and its magnitude in f32; the two ends of the copy that bounds them.
double needs(Case const& c) {
  auto const [m, k, e] = extents(c);
  return matrix_bytes(c) + 12 * m * m + 2 * yardstick_bytes(matrix_bytes(c));
}

/// Partial sums and copies of operands beside them, or panels.
double blocked_needs(Case const& c) {
  return needs(c) + matmul::blocked_bytes(c, c.shape()[0], c.shape()[0], c.shape()[1]);
}

/// A read once, C written once, although C is symmetric: half of the arithmetic would do, as `blocked` shows.
Work work(Case const& c) {
  auto const [m, k, e] = extents(c);
  return {matrix_bytes(c), 2 * m * m * k};
}

Model ideal_model(Case const& c, Ceilings const& ceilings) {
  return roofline(ceilings, work(c).flops, matrix_bytes(c), 0);
}

/// On a host both operands are A. Its rows lie in sets of a first-level cache of their own, as those of the card's
/// square: else there is no model.
struct AatOnHost : ProductOnHost {
  explicit AatOnHost(Case const& of)
      : ProductOnHost{of, static_cast<double>(of.shape()[0]), static_cast<double>(of.shape()[0]),
                      static_cast<double>(of.shape()[1])} {}
  double staged() const { return staging(m * k * element(), k * element()); }
  double strided(double updates) const { return std::fmod(k * element(), 4096) == 0 ? 0 : updates; }
};

/// On devices `blocked` makes the elements on the diagonal and below, and writes them twice.
double blocked_flops(Case const& c) {
  auto const [m, k, e] = extents(c);
  return is_host_space(c.space) ? work(c).flops : m * (m + 1) * k;
}
Model blocked_model(Case const& c, Ceilings const& ceilings) {
  auto const [m, k, e] = extents(c);
  if (is_host_space(c.space)) return blocked_on_host(c, ceilings, work(c).flops, m * m * e);
  return compute_then_store(ceilings, blocked_flops(c), e * m * k, e * m * m);
}

double tile(Case const& c) { return static_cast<double>(c.integer("tile")); }

// What each kernel requests from memory: per multiply-add two elements of A, each divided by Tile where it is staged.
double requested(Case const& c, double loads) {
  auto const [m, k, e] = extents(c);
  return requested_by_product(m * m * k, loads, m * m, e);
}
double simple_requests(Case const& c) { return requested(c, 2); }
double row_tile_requests(Case const& c) { return requested(c, 1 + 1 / tile(c)); }
double staged_requests(Case const& c) { return requested(c, 2 / tile(c)); }
double blocked_requests(Case const& c) {
  auto const [m, k, e] = extents(c);
  return requested_by_blocks(c, m, m, k, true);
}

/// A kernel that needs so many wavefronts for a multiply-add of a warp, from scratch or from the L1 cache, which is the
/// same memory. Two tiles of A come to each multiprocessor once for each tile of C and of the depth, in all variants.
Model tile_model(Case const& c, Ceilings const& ceilings, double wavefronts) {
  auto const [m, k, e] = extents(c);
  return roofline(ceilings, work(c).flops, staged_requests(c),
                  wavefronts_of_products(c.hardware, m * m * k, wavefronts));
}

/// Wavefronts of a load from neighbouring rows of A: the L1 cache serves one line of 128 bytes a cycle, and rows that
/// are shorter share lines.
double lines_of_rows(Case const& c, double rows) {
  auto const [m, k, e] = extents(c);
  return std::ceil(rows * std::min(1.0, k * e / 128));
}

/// The row operand is the same for all lanes of a row of the tile; the column operand has a row of A for each of them.
Model simple_model(Case const& c, Ceilings const& ceilings) {
  if (AatOnHost const host(c); is_host_space(c.space))
    return host.model({host.strided(host.updates("update_strided")), host.stored(), host.league()});
  return tile_model(c, ceilings, lines_of_rows(c, c.hardware.warp / tile(c)) + lines_of_rows(c, tile(c)));
}
Model row_tile_model(Case const& c, Ceilings const& ceilings) {
  if (AatOnHost const host(c); is_host_space(c.space))
    return host.model(
        {host.strided(host.whole_updates("update_strided")), host.staged(), host.stored(), host.league()});
  double const e = extents(c).element;
  return tile_model(c, ceilings,
                    wavefronts_of_broadcast(e) + wavefronts_of_row(e) / tile(c) + lines_of_rows(c, tile(c)));
}

/// The two stores that fill the tiles: one along rows, one that turns into a tile whose rows are Pad elements longer.
template <int Pad>
double wavefronts_of_stores(Case const& c) {
  auto const element = static_cast<int>(size_of(c.type));
  auto const edge = static_cast<int>(c.integer("tile"));
  return wavefronts_of_row(element) + wavefronts_of_turning_store(edge, edge + Pad, element);
}

/// A multiply-add reads from both tiles, and a Tile-th of the stores that filled them is its share.
template <int Pad>
Model staged_model(Case const& c, Ceilings const& ceilings) {
  if (AatOnHost const host(c); is_host_space(c.space))
    return host.model({host.updates_of_tiles(), host.staged(), host.staged(), host.stored(), host.league()});
  auto const [m, k, e] = extents(c);
  Model const served = tile_model(
      c, ceilings, wavefronts_of_broadcast(e) + wavefronts_of_row(e) + wavefronts_of_stores<Pad>(c) / tile(c));
  double const teams = std::pow(std::ceil(m / tile(c)), 2), steps = std::ceil(k / tile(c));
  return with_staging(served, c, teams, c.integer("tile") * c.integer("tile"), steps, 2 * steps);
}

// What counters say of the kernels: the loads of global memory, and of one request to scratch the mean of all loads and
// of all stores.
template <class LoadsOf>
Quantities loads(Case const& c, LoadsOf const& loads_of) {
  auto const [m, k, e] = extents(c);
  return predict_loads(c, m, m, k, loads_of);
}

Quantities simple_predict(Case const& c) {
  return loads(c, [](TileLoads const& t) { return std::pair(t.row(), t.strided_columns()); });
}
Quantities row_tile_predict(Case const& c) {
  Quantities all = loads(c, [](TileLoads const& t) { return std::pair(t.staged(), t.strided_columns()); });
  return with_scratch(std::move(all), c, false, wavefronts_of_row(extents(c).element));
}
template <int Pad>
Quantities staged_predict(Case const& c) {
  if (c.hardware.banks != 32) return {};
  Quantities all = loads(c, [](TileLoads const& t) { return std::pair(t.staged(), t.staged()); });
  return with_scratch(std::move(all), c, true, wavefronts_of_stores<Pad>(c) / 2);
}

}  // namespace

Pattern pattern() {
  Pattern p;
  p.name = "aat";
  p.meaning = "C = A A^T: what a strided operand costs, and what the bank conflicts cost that its cure brings";
  p.types = {Type::f32, Type::f64};
  p.figure = Figure::compute;
  p.formula =
      "roofline: max(2MMK / FMA rate, bytes / copy rate, wavefronts of scratch or L1 / their rate); bytes "
      "e(2MMK/tile + MM), in blocked and the library e(MK + MM); blocked does M(M+1)K flops on devices, and then "
      "stores: "
      "M(M+1)K / FMA rate + eMM / copy rate; wavefronts per "
      "multiply-add of a warp, where a load from R rows of A in "
      "memory touches L(R) = R min(1, Ke/128) lines: simple L(32/tile) + L(tile), row_tile e/8 + (e/4)/tile "
      "+ L(tile), coalesced and padded e/8 + e/4 and a tile-th of both stores that stage: e/4 along rows, counted "
      "bank by bank where it turns the tile (f32, tile 32: 32, padded 1), and then what teams wait for, as in matmul. "
      "On "
      "hosts as in matmul, with update_strided in simple and row_tile: none where rows of A are whole pages of 4 KiB";
  p.keys = {
      {"shape", KeyKind::shape, "16384x32", {"M", "K"}, "A is M x K, C is M x M"},
      {"tile", KeyKind::integer, "32", choices_of(ProductTiles{}),
       "edge of the square tile of C a team makes, elements"},
      block_key<Blocked, float, double>("rows x columns of C that a team makes x steps of K staged at a time"),
  };
  p.variants = {
      portable("simple", "each element from global memory, one operand strided", kernel<matmul::Simple>)
          .with_keys({"tile"})
          .with_model(simple_model)
          .with_requested(simple_requests)
          .with_predict(simple_predict),
      portable("row_tile", "the row operand through scratch, the other still strided", kernel<matmul::Coalesced>)
          .with_keys({"tile"})
          .with_model(row_tile_model)
          .with_requested(row_tile_requests)
          .with_predict(row_tile_predict),
      portable("coalesced", "both through scratch; the store that turns a tile meets bank conflicts", kernel<Coalesced>)
          .with_keys({"tile"})
          .with_model(staged_model<0>)
          .with_requested(staged_requests)
          .with_predict(staged_predict<0>),
      portable("padded", "the turned tile one column wider: no bank conflicts", kernel<Padded>)
          .with_keys({"tile"})
          .with_model(staged_model<1>)
          .with_requested(staged_requests)
          .with_predict(staged_predict<1>),
      portable("blocked", "half of C, a block in the registers of a team, written twice", blocked)
          .with_keys({"block"})
          .with_needs(blocked_needs)
          .with_computed(blocked_flops)
          .with_requested(blocked_requests)
          .with_model(blocked_model),
      native("native_simple", "simple in raw CUDA", raw<&Launchers::simple>)
          .twin_of("simple")
          .with_keys({"tile"})
          .with_model(simple_model)
          .with_requested(simple_requests)
          .with_predict(simple_predict),
      native("native_row_tile", "row_tile in raw CUDA, with barriers per warp", raw<&Launchers::row_tile>)
          .twin_of("row_tile")
          .with_keys({"tile"})
          .with_model(row_tile_model)
          .with_requested(row_tile_requests)
          .with_predict(row_tile_predict),
      native("native_coalesced", "coalesced in raw CUDA", raw<&Launchers::coalesced>)
          .twin_of("coalesced")
          .with_keys({"tile"})
          .with_model(staged_model<0>)
          .with_requested(staged_requests)
          .with_predict(staged_predict<0>),
      native("native_padded", "padded in raw CUDA", raw<&Launchers::padded>)
          .twin_of("padded")
          .with_keys({"tile"})
          .with_model(staged_model<1>)
          .with_requested(staged_requests)
          .with_predict(staged_predict<1>),
      library("vendor", "gemm of cuBLAS, OpenBLAS, which writes all of C (syrk writes half of it)",
              raw<&Launchers::vendor>)
          .with_model(no_model),
  };
  p.on_hosts =
      "a thread makes a tile of C alone, in its vector lanes: a strided operand has to be gathered, a tile brings its "
      "elements together; there are no banks";
  p.needs = needs;
  p.work = work;
  p.model = ideal_model;
  p.findings = ladder_findings;
  std::vector<std::pair<std::string, std::string>> const slab{{"shape", "16384x32"}, {"tile", "32"}};
  char const* const v100 = "Tesla V100";
  p.published = {
      {"native_simple", Type::f32, slab, 12.8, "GB/s", v100},
      {"native_coalesced", Type::f32, slab, 140.2, "GB/s", v100},
      {"native_padded", Type::f32, slab, 199.4, "GB/s", v100},
      {"native_coalesced", Type::f32, slab, 10.95, "x", v100, "native_simple"},
      {"native_padded", Type::f32, slab, 15.58, "x", v100, "native_simple"},
  };
  return p;
}

}  // namespace tilestride::aat
