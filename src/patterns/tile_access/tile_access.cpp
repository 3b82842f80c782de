// SPDX-License-Identifier: BSD-3-Clause
#include "patterns/tile_access/tile_access.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "harness/result.hpp"
#include "patterns/banks.hpp"
#include "patterns/patterns.hpp"
#include "patterns/tile_access/scratch.hpp"

namespace tilestride {
namespace {

constexpr Prepare scratch = prepare<TileAccess, TileInScratch, std::int32_t, float, double>;
constexpr Prepare native = prepare_native<TileAccess, std::int32_t, float, double>;

constexpr std::int64_t most_elements = 1 << 16;    // of a tile with its pad
constexpr std::int64_t most_repeats = 1'000'000;   // f32 still counts them exactly
constexpr std::int64_t most_accesses = 1ll << 30;  // a launch stays within seconds

std::string refuse(Case const& c) {
  std::int64_t const width = c.shape()[0], height = c.shape()[1];
  std::int64_t const pad = c.integer("pad"), repeat = c.integer("repeat");
  if (width > most_elements || height > most_elements || pad > most_elements || (width + pad) * height > most_elements)
    return fmt::format("a tile has at most {} elements, its pad included", most_elements);
  if (repeat > most_repeats || repeat * width * height > most_accesses)
    return fmt::format("at most {} repeats, and {} elements stored in all", most_repeats, most_accesses);
  return "";
}

double needs(Case const& c) {
  return static_cast<double>(c.shape()[0]) * static_cast<double>(c.shape()[1]) * static_cast<double>(size_of(c.type));
}

Work work(Case const& c) {
  Work work;
  work.operations = static_cast<double>(c.integer("repeat"));
  return work;
}

/// What the warps of a team ask for in one round.
struct Requests {
  int warps = 0;
  int store_wavefronts = 0, load_wavefronts = 0;
};

int warp_wavefronts(Case const& c, TileExtents const& tile, bool columns, int first, Direction direction) {
  LaneAddresses address;
  for (int lane = 0; lane < warp_lanes; ++lane)
    address[static_cast<std::size_t>(lane)] =
        first + lane < tile.elements() ? tile.at(columns, first + lane) * size_of(c.type) : no_address;
  return wavefronts(address, static_cast<int>(size_of(c.type)), direction);
}

Requests requests(Case const& c) {
  TileExtents const tile{static_cast<int>(c.shape()[0]), static_cast<int>(c.shape()[1]),
                         static_cast<int>(c.integer("pad"))};
  Requests sum;
  for (int first = 0; first < tile.elements(); first += warp_lanes, ++sum.warps) {
    sum.store_wavefronts += warp_wavefronts(c, tile, c.choice("access") == "col_col", first, Direction::store);
    sum.load_wavefronts += warp_wavefronts(c, tile, c.choice("access") != "row_row", first, Direction::load);
  }
  return sum;
}

Quantities predict(Case const& c) {
  if (is_host_space(c.space)) return {};
  Requests const sum = requests(c);
  return {{"store wavefronts", static_cast<double>(sum.store_wavefronts) / sum.warps},
          {"load wavefronts", static_cast<double>(sum.load_wavefronts) / sum.warps}};
}

Model model(Case const& c, Ceilings const& ceilings) {
  if (ceilings.clock == 0) return {};
  Requests const sum = requests(c);
  return {static_cast<double>(c.integer("repeat")) * (sum.store_wavefronts + sum.load_wavefronts) / ceilings.clock,
          "scratch"};
}

double time_of(Result const* result) { return result == nullptr ? 0 : result->statistics().time.median; }

/// For each tile: what columns cost over rows, and what is left of it with a pad.
std::vector<std::string> findings(std::vector<Result> const& results) {
  std::map<std::string, std::map<std::pair<std::string, std::int64_t>, Result const*>> tiles;
  std::vector<std::string> order;
  for (Result const& result : results) {
    if (result.outcome != Outcome::passed) continue;
    Case const& c = *result.planned;
    std::string const tile = fmt::format("{}/{}/{}/{} repeat={}", c.variant->name, c.space, name_of(c.type),
                                         c.find("shape")->text(), c.integer("repeat"));
    if (tiles.count(tile) == 0) order.push_back(tile);
    tiles[tile][{c.choice("access"), c.integer("pad")}] = &result;
  }
  std::vector<std::string> sentences;
  for (std::string const& tile : order) {
    auto const& members = tiles[tile];
    auto const time = [&](char const* access, std::int64_t pad) {
      auto const it = members.find({access, pad});
      return it == members.end() ? 0 : time_of(it->second);
    };
    double const rows = time("row_row", 0);
    if (rows == 0) continue;
    std::vector<std::string> parts;
    for (auto const& [how, result] : members) {
      if (how.first == "row_row") continue;
      parts.push_back(fmt::format("{}{} {:.2f}x", how.first, how.second > 0 ? fmt::format(" pad {}", how.second) : "",
                                  time_of(result) / rows));
    }
    if (!parts.empty())
      sentences.push_back(fmt::format("{}: the time of row_row, times: {}", tile, fmt::join(parts, ", ")));
  }
  return sentences;
}

}  // namespace

Pattern tile_access_pattern() {
  Pattern pattern{
      "tile_access",
      "a tile in scratch stored and loaded along rows or along columns: what do bank conflicts cost, and what cures "
      "them?",
      {Type::i32, Type::f32, Type::f64},
      Figure::latency,
      "repeats x wavefronts of all warps, stores and loads, one a cycle of the multiprocessor: barriers and latencies "
      "are left out",
      {
          {"access",
           KeyKind::choice,
           "row_row",
           {"row_row", "col_col", "row_col"},
           "order of the stores, of the loads"},
          {"shape", KeyKind::shape, "32x32", {"width", "height"}, "extents of the tile, one thread an element"},
          {"pad", KeyKind::integer, "0", {}, "unused elements at the end of each row", 0},
          {"repeat", KeyKind::integer, "1000", {}, "rounds of storing and loading in one launch"},
      },
      {
          {"scratch", "a one-dimensional view in team scratch", Role::solution, scratch, {}},
          Variant{"native_static", "__shared__ T tile[height][width + pad]", Role::native, native, {}}.twin_of(
              "scratch"),
          Variant{"native_dynamic", "extern __shared__, one dimension", Role::native, native, {}}.twin_of("scratch"),
      },
      refuse,
      needs,
      work,
      model,
      findings,
  };
  pattern.on_hosts =
      "one thread walks the tile: no banks, but a column walks through a cache line an element, and a pad moves "
      "columns "
      "to other sets of the first cache";
  pattern.predict = predict;
  for (auto const& [access, microseconds] : {std::pair{"row_row", 1.552}, std::pair{"col_col", 2.464}})
    pattern.quoted.push_back({"native_static",
                              Type::i32,
                              {{"access", access}, {"shape", "32x32"}, {"pad", "0"}, {"repeat", "1"}},
                              microseconds,
                              "us",
                              "GPU not named"});
  return pattern;
}

}  // namespace tilestride
