// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <optional>

#include "model/result.hpp"
#include "patterns/common/banks.hpp"
#include "patterns/common/findings.hpp"
#include "patterns/common/host_steps.hpp"
#include "patterns/common/requests_on_card.hpp"
#include "patterns/common/sectors.hpp"
#include "patterns/common/teams_on_card.hpp"
#include "patterns/transpose/blocked.hpp"
#include "patterns/transpose/copy.hpp"
#include "patterns/transpose/literal.hpp"
#include "patterns/transpose/padded.hpp"
#include "patterns/transpose/row_read.hpp"
#include "patterns/transpose/row_write.hpp"
#include "patterns/transpose/tiled.hpp"

namespace tilestride::transpose {
namespace {

template <class Kernel>
constexpr Prepare kernel = prepare<Transpose, Kernel, float, double, std::int32_t>;
constexpr Prepare blocked = prepare_blocked<Transpose, Blocked, float, double, std::int32_t>;
template <Way way>
constexpr Prepare literal = prepare_blocked<Transpose, Literal<way>, float, double, std::int32_t>;
template <auto Launcher>
constexpr Prepare raw = prepare_native<Transpose, Launcher, float, double, std::int32_t>;

/// What a copy leaves behind is no transpose: it is judged as the portable copy is.
Trial native_copy(Bench& bench, Case const& c) {
  Trial trial = raw<&Launchers::copy>(bench, c);
  if (!trial.skip) trial.verify = kernel<Copy>(bench, c).verify;
  return trial;
}

double elements(Case const& c) { return static_cast<double>(c.shape()[0]) * static_cast<double>(c.shape()[1]); }

double needs(Case const& c) {
  return 2 * (elements(c) * static_cast<double>(size_of(c.type)) + double(matrix_alignment));
}
Work work(Case const& c) { return {2 * elements(c) * static_cast<double>(size_of(c.type)), 0}; }
double fetched(Case const& c) { return elements(c) * static_cast<double>(size_of(c.type)); }
/// How many sectors leave L2 before all of their elements are written, and are then read, is not known.
double not_known(Case const&) { return 0; }

// What counters say of kernels that go by tiles of so many columns, for matrices that are whole tiles; nothing for
// others.
Quantities requests(Case const& c, std::int64_t tile, bool strided_loads, bool strided_stores) {
  if (!has_sectors(c.hardware) || tile < 1 || tile * size_of(c.type) < c.hardware.sector) return {};
  if (c.shape()[0] % tile != 0 || c.shape()[1] % tile != 0) return {};
  double const warp = c.hardware.warp;
  double const in_a_row = warp * static_cast<double>(size_of(c.type)) / c.hardware.sector;
  return {{"sectors/load", strided_loads ? warp : in_a_row}, {"sectors/store", strided_stores ? warp : in_a_row}};
}
constexpr std::int64_t naive_tile = 32;  // of copy and move_matrix()
Quantities copy_predict(Case const& c) { return requests(c, naive_tile, false, false); }
Quantities row_read_predict(Case const& c) { return requests(c, naive_tile, false, true); }
Quantities row_write_predict(Case const& c) { return requests(c, naive_tile, true, false); }

/// Of a warp that stores along the rows of a tile in scratch, which are `pad` elements longer, and of one that loads
/// down its columns. Nothing where requests() says nothing.
struct TileWavefronts {
  double store, load;
};
template <int pad>
std::optional<TileWavefronts> tile_wavefronts(Case const& c) {
  auto const tile = staged_tile(c), element = static_cast<int>(size_of(c.type));
  auto const rules = bank_rules(c.hardware);
  if (!rules || requests(c, tile, false, false).empty()) return {};
  auto const along = [=](int lane) { return (lane / tile * (tile + pad) + lane % tile) * element; };
  auto const down = [=](int lane) { return (lane % tile * (tile + pad) + lane / tile) * element; };
  return TileWavefronts{
      static_cast<double>(wavefronts(*rules, lane_addresses(rules->lanes, along), element, Direction::store)),
      static_cast<double>(wavefronts(*rules, lane_addresses(rules->lanes, down), element, Direction::load))};
}

template <int pad>
Quantities tiled_predict(Case const& c) {
  auto const tile = tile_wavefronts<pad>(c);
  if (!tile) return {};
  Quantities all = requests(c, staged_tile(c), false, false);
  all.emplace_back("store wavefronts", tile->store);
  all.emplace_back("load wavefronts", tile->load);
  return all;
}

/// What L1 or scratch serves of a warp that moves an element per thread, a wavefront per cycle of a multiprocessor.
struct Served {
  double wavefronts = 0;  ///< 0: not known
  char const* limiter = "";
  char const* op = "";  ///< of the card's teams that wait as those of a literal kernel do
};
using ServedOf = Served (*)(Case const&);

/// A warp that goes down a column has a line for each lane, served one by one.
Served lines(Case const& c) { return {c.hardware.warp + static_cast<double>(size_of(c.type)) / 4, "lines", "load"}; }

template <int pad>
Served in_tile(Case const& c) {
  auto const tile = tile_wavefronts<pad>(c);
  return {tile ? tile->store + tile->load : 0, "scratch", "exchange"};
}

/// None where the rules of L1 are not known.
template <ServedOf of>
Model in_l1(Case const& c, Ceilings const& ceilings) {
  if (ceilings.scratch == 0 || c.hardware.banks != 32) return {};
  Served const served = of(c);
  return {elements(c) / c.hardware.warp * served.wavefronts / ceilings.scratch, served.limiter};
}

// On a host, by the card's walks over matrices: tiles copied along their rows (`rows`), and elements down columns,
// which lie in rows as long as those of the matrix that is walked so.

double matrix_bytes(Case const& c) { return elements(c) * static_cast<double>(size_of(c.type)); }
double in_pitch(Case const& c) { return static_cast<double>(c.shape()[1] * size_of(c.type)); }
double out_pitch(Case const& c) { return static_cast<double>(c.shape()[0] * size_of(c.type)); }

double host_rows(Case const& c) { return seconds_of_tiles(c, "rows", elements(c), matrix_bytes(c), in_pitch(c)); }
double host_league(Case const& c) { return seconds_of_a_league(c, elements(c) / (naive_tile * naive_tile)); }

/// Half of a copy along rows, and the other half down columns.
Model host_turned(Case const& c, char const* columns, double pitch) {
  double const strided = seconds_of_tiles(c, columns, elements(c), matrix_bytes(c), pitch);
  return host_model({host_rows(c) / 2, strided, host_league(c)}, "columns");
}

/// A copy along rows, and the tile gone through again in so many loops with a test for each element. None for tiles
/// that are not the card's.
Model host_through_tile(Case const& c, int loops) {
  if (staged_tile(c) != naive_tile) return {};
  return host_model({host_rows(c), seconds_of_steps(c, "guarded", loops * elements(c)), host_league(c)}, "steps");
}

Model copy_of_tiles(Case const& c, Ceilings const& ceilings) {
  return is_host_space(c.space) ? host_model({host_rows(c), host_league(c)}, "rows") : copy_model(c, ceilings);
}

/// None on hosts: squares turned in vector registers are like no other loop that is measured.
Model device_copy_model(Case const& c, Ceilings const& ceilings) {
  return is_host_space(c.space) ? Model{} : copy_model(c, ceilings);
}

/// A copy, or what L1 serves if that takes longer.
template <ServedOf of>
Model served_model(Case const& c, Ceilings const& ceilings) {
  Model const copy = copy_model(c, ceilings);
  return copy.seconds == 0 ? copy : slower_of(copy, in_l1<of>(c, ceilings));
}

template <int pad>
Model tiled_model(Case const& c, Ceilings const& ceilings) {
  return is_host_space(c.space) ? host_through_tile(c, 1) : served_model<in_tile<pad>>(c, ceilings);
}

Model row_write_model(Case const& c, Ceilings const& ceilings) {
  return is_host_space(c.space) ? host_turned(c, "columns_read", in_pitch(c)) : served_model<lines>(c, ceilings);
}

/// Of stores down a column L2 takes one sector each.
Model row_read_model(Case const& c, Ceilings const& ceilings) {
  if (is_host_space(c.space)) return host_turned(c, "columns_stored", out_pitch(c));
  Model served = served_model<lines>(c, ceilings);
  if (served.seconds == 0) return served;
  double const stores = elements(c) * seconds_of_a_scattered_store(c);
  return stores == 0 ? Model{} : slower_of(served, {stores, "stores"});
}

/// A literal kernel: the same, and no faster than its teams. On a host, the same and a test for each element.
template <ModelOf model, ServedOf of>
Model literal_model(Case const& c, Ceilings const& ceilings) {
  Model const plain = model(c, ceilings);
  if (is_host_space(c.space))
    return host_model({plain.seconds, seconds_of_steps(c, "guarded", elements(c))}, "columns");
  constexpr int tile = literal_tile * literal_tile;
  return with_teams(plain, c, elements(c) / tile, tile / c.integer("per_thread"), of(c).op,
                    in_l1<of>(c, ceilings).seconds);
}

/// On a host both loops over a staged tile test each element.
template <int pad>
Model literal_tile_model(Case const& c, Ceilings const& ceilings) {
  if (is_host_space(c.space)) return host_through_tile(c, 2);
  return literal_model<tiled_model<pad>, in_tile<pad>>(c, ceilings);
}

}  // namespace

Pattern pattern() {
  Pattern p;
  p.name = "transpose";
  p.meaning = "out = in transposed: does staging a tile in scratch pay, and what do bank conflicts cost?";
  p.types = {Type::f32, Type::f64, Type::i32};
  p.figure = Figure::bandwidth;
  p.formula =
      "time of a copy of as many bytes (2 x rows x cols x size of an element); no less than what L1 and scratch serve, "
      "one wavefront per cycle of a multiprocessor: a line for each lane that goes down a column of a matrix, and the "
      "bank conflicts of a tile; stores down a column: no less than a sector each at the rate of the card's "
      "bandwidth/scattered; literal kernels: no less than their teams by the card's launch/teams (exchange, where they "
      "have a tile) and what L1 serves, one after the other. On hosts, by the card: copy tiles/rows for each element; "
      "row_read and row_write half of it and tiles/columns_stored or columns_read (literal: and a step of "
      "steps/guarded); through a tile one step of steps/guarded more (literal: two); blocked and the library: none, "
      "since nothing else is turned as they do it";
  p.keys = {
      {"shape", KeyKind::shape, "4096x4096", {"rows", "cols"}, "extents of the input"},
      {"tile", KeyKind::integer, "32", choices_of(Tiles{}), "edge of the square tile in scratch, elements"},
      block_key<Blocked, float, double, std::int32_t>("rows x columns of in that a team turns"),
      {"per_thread", KeyKind::integer, "1", choices_of(PerThreadCounts{}),
       "elements that a thread of a literal kernel moves, of a tile of 32 x 32: 1024 / per_thread threads"},
  };
  p.variants = {
      bound("copy", "tiles copied, not turned: a bound for the others", kernel<Copy>)
          .with_model(copy_of_tiles)
          .with_predict(copy_predict),
      portable("row_read", "naive: rows read, columns written", kernel<RowRead>)
          .with_model(row_read_model)
          .with_predict(row_read_predict)
          .with_fetched(not_known),
      portable("row_write", "naive: columns read, rows written", kernel<RowWrite>)
          .with_model(row_write_model)
          .with_predict(row_write_predict),
      portable("tiled", "through a tile in scratch, whose columns share a bank", kernel<Tiled>)
          .with_keys({"tile"})
          .with_model(tiled_model<0>)
          .with_predict(tiled_predict<0>),
      portable("padded", "the tile one column wider: no bank conflicts", kernel<Padded>)
          .with_keys({"tile"})
          .with_model(tiled_model<1>)
          .with_predict(tiled_predict<1>),
      portable("blocked", "larger tiles, many loads under way, rows written by whole sectors", blocked)
          .with_keys({"block"}),
      portable("literal_row_read", "row_read as tutorials write it: 32 x 32 threads, element by element",
               literal<Way::row_read>)
          .with_keys({"per_thread"})
          .with_model(literal_model<row_read_model, lines>)
          .with_predict(row_read_predict)
          .with_fetched(not_known),
      portable("literal_row_write", "row_write likewise", literal<Way::row_write>)
          .with_keys({"per_thread"})
          .with_model(literal_model<row_write_model, lines>)
          .with_predict(row_write_predict),
      portable("literal_tiled", "tiled likewise", literal<Way::tiled>)
          .with_keys({"per_thread"})
          .with_model(literal_tile_model<0>)
          .with_predict(tiled_predict<0>),
      portable("literal_padded", "padded likewise", literal<Way::padded>)
          .with_keys({"per_thread"})
          .with_model(literal_tile_model<1>)
          .with_predict(tiled_predict<1>),
      bound("native_copy", "copy in raw CUDA", native_copy)
          .twin_of("copy")
          .only_on_devices("raw CUDA has no meaning on a host")
          .with_predict(copy_predict),
      native("native_row_read", "row_read in raw CUDA", raw<&Launchers::row_read>)
          .twin_of("row_read")
          .with_model(row_read_model)
          .with_predict(row_read_predict)
          .with_fetched(not_known),
      native("native_row_write", "row_write in raw CUDA", raw<&Launchers::row_write>)
          .twin_of("row_write")
          .with_model(row_write_model)
          .with_predict(row_write_predict),
      native("native_tiled", "tiled in raw CUDA", raw<&Launchers::tiled>)
          .twin_of("tiled")
          .with_keys({"tile"})
          .with_model(tiled_model<0>)
          .with_predict(tiled_predict<0>),
      native("native_padded", "padded in raw CUDA", raw<&Launchers::padded>)
          .twin_of("padded")
          .with_keys({"tile"})
          .with_model(tiled_model<1>)
          .with_predict(tiled_predict<1>),
      native("native_dynamic", "native_padded, its shared memory sized at the launch", raw<&Launchers::dynamic>)
          .twin_of("padded")
          .with_keys({"tile"})
          .with_model(tiled_model<1>)
          .with_predict(tiled_predict<1>),
      native("native_literal_row_read", "the tutorials' own kernel, rows read", raw<&Launchers::literal_row_read>)
          .twin_of("literal_row_read")
          .with_keys({"per_thread"})
          .with_model(literal_model<row_read_model, lines>)
          .with_predict(row_read_predict)
          .with_fetched(not_known),
      native("native_literal_row_write", "the tutorials' own kernel, rows written", raw<&Launchers::literal_row_write>)
          .twin_of("literal_row_write")
          .with_keys({"per_thread"})
          .with_model(literal_model<row_write_model, lines>)
          .with_predict(row_write_predict),
      native("native_literal_tiled", "the tutorials' own kernel, through shared memory", raw<&Launchers::literal_tiled>)
          .twin_of("literal_tiled")
          .with_keys({"per_thread"})
          .with_model(literal_tile_model<0>)
          .with_predict(tiled_predict<0>),
      native("native_literal_padded", "the tutorials' own kernel, its tile padded", raw<&Launchers::literal_padded>)
          .twin_of("literal_padded")
          .with_keys({"per_thread"})
          .with_model(literal_tile_model<1>)
          .with_predict(tiled_predict<1>),
      library("vendor", "cuBLAS geam, OpenBLAS omatcopy", raw<&Launchers::vendor>),
  };
  p.on_hosts = "tiles keep the strided side in the cache; there are no banks, so that padded differs little from tiled";
  p.needs = needs;
  p.work = work;
  p.fetched = fetched;
  p.model = device_copy_model;
  p.findings = ladder_findings;
  char const* const laptop = "RTX 3050 Laptop";
  std::vector<std::pair<std::string, std::string>> const table{{"shape", "4096x4096"}, {"per_thread", "1"}};
  p.published = {
      {"native_literal_row_read", Type::i32, table, 41.0, "GB/s", laptop},  // printed as GiB/s: 38.1913
      {"native_literal_tiled", Type::i32, table, 74.5, "GB/s", laptop},     // 69.3969
      {"native_literal_padded", Type::i32, table, 110.2, "GB/s", laptop},   // 102.6
      {"native_literal_row_read", Type::i32, table, 3270, "us", laptop},
      {"native_literal_tiled", Type::i32, table, 1800, "us", laptop},
      {"native_literal_padded", Type::i32, table, 1220, "us", laptop},
      {"native_literal_tiled", Type::i32, table, 1.82, "x", laptop, "native_literal_row_read"},
      {"native_literal_padded", Type::i32, table, 2.68, "x", laptop, "native_literal_row_read"},
  };
  return p;
}

}  // namespace tilestride::transpose
