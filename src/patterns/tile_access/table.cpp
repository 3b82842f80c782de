// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "model/result.hpp"
#include "patterns/common/banks.hpp"
#include "patterns/common/teams_on_card.hpp"
#include "patterns/tile_access/scratch.hpp"

namespace tilestride::tile_access {
namespace {

constexpr Prepare scratch = prepare<TileAccess, Scratch, std::int32_t, float, double>;
template <auto Launcher>
constexpr Prepare raw = prepare_native<TileAccess, Launcher, std::int32_t, float, double>;

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

/// Wavefronts of all warps of a team in one round.
struct Wavefronts {
  int warps = 0;
  int stores = 0, loads = 0;
};

int wavefronts_of_warp(BankRules const& rules, Case const& c, Extents const& tile, bool columns, int first,
                       Direction direction) {
  auto const address = [&](int lane) {
    return first + lane < tile.elements() ? tile.at(columns, first + lane) * size_of(c.type) : no_address;
  };
  return wavefronts(rules, lane_addresses(rules.lanes, address), static_cast<int>(size_of(c.type)), direction);
}

/// None where the device's rules are not known.
std::optional<Wavefronts> wavefronts_of(Case const& c) {
  auto const rules = bank_rules(c.hardware);
  if (!rules) return {};
  Extents const tile{static_cast<int>(c.shape()[0]), static_cast<int>(c.shape()[1]),
                     static_cast<int>(c.integer("pad"))};
  Wavefronts sum;
  for (int first = 0; first < tile.elements(); first += rules->lanes, ++sum.warps) {
    sum.stores += wavefronts_of_warp(*rules, c, tile, c.choice("access") == "col_col", first, Direction::store);
    sum.loads += wavefronts_of_warp(*rules, c, tile, c.choice("access") != "row_row", first, Direction::load);
  }
  return sum;
}

/// Of one request, on average.
Quantities predict(Case const& c) {
  auto const sum = wavefronts_of(c);
  if (!sum) return {};
  return {{"store wavefronts", static_cast<double>(sum->stores) / sum->warps},
          {"load wavefronts", static_cast<double>(sum->loads) / sum->warps}};
}

/// What one team waits for, in seconds, as a memory card has measured it; not above 0 where it has not.
struct Waits {
  double kernel = 0, load = 0;
  double barrier = 0;   ///< of one warp
  double arrivals = 0;  ///< how much longer a barrier of all warps takes: they arrive one after the other

  bool are_known() const { return kernel > 0 && load > 0 && barrier > 0 && arrivals >= 0; }
};

Waits waits_of(Case const& c) {
  std::int64_t const team = team_on_card(c.shape()[0] * c.shape()[1]);
  double const barrier = seconds_of_a_barrier(c, 1);
  return {seconds_of_a_team(c, "nothing", team, team), seconds_of_a_scratch_load(c), barrier,
          seconds_of_a_barrier(c, team) - barrier};
}

/// One team works alone: nobody fills the time that it waits for the load and at the two barriers of a round. Warps
/// whose wavefronts are served arrive at the barrier while those of others still are.
Model model(Case const& c, Ceilings const& ceilings) {
  auto const sum = wavefronts_of(c);
  if (ceilings.clock == 0 || !sum) return {};
  Waits const waits = waits_of(c);
  if (!waits.are_known()) return {};
  auto const phase = [&](int served) { return std::max(served / ceilings.clock, waits.arrivals) + waits.barrier; };
  double const round = phase(sum->stores) + phase(sum->loads) + waits.load;
  return {waits.kernel + static_cast<double>(c.integer("repeat")) * round, "team"};
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
      sentences.push_back(fmt::format("{}: time over that of row_row: {}", tile, fmt::join(parts, ", ")));
  }
  return sentences;
}

}  // namespace

Pattern pattern() {
  Pattern p;
  p.name = "tile_access";
  p.meaning =
      "a tile in scratch stored and loaded along rows or along columns: what do bank conflicts cost, and what cures "
      "them?";
  p.types = {Type::i32, Type::f32, Type::f64};
  p.figure = Figure::latency;
  p.formula =
      "by the card: a kernel of one team (launch) + repeats x (wavefronts of all warps, stores and loads, one per "
      "cycle of the multiprocessor + the latency of one load from scratch (latency) + two barriers of such a team "
      "(fences)); "
      "without a card none";
  p.keys = {
      {"access", KeyKind::choice, "row_row", {"row_row", "col_col", "row_col"}, "order of the stores, of the loads"},
      {"shape", KeyKind::shape, "32x32", {"width", "height"}, "extents of the tile, one thread per element"},
      {"pad", KeyKind::integer, "0", {}, "unused elements at the end of each row", 0},
      {"repeat", KeyKind::integer, "1000", {}, "rounds of storing and loading in one launch"},
  };
  p.variants = {
      portable("scratch", "a one-dimensional view in team scratch", scratch),
      native("native_static", "__shared__ T tile[height][width + pad]", raw<&Launchers::static_tile>)
          .twin_of("scratch"),
      native("native_dynamic", "extern __shared__, one dimension", raw<&Launchers::dynamic_tile>).twin_of("scratch"),
  };
  p.on_hosts =
      "one thread walks the tile: no banks, but a column walks through a cache line per element, and a pad moves "
      "columns to other sets of the first cache";
  p.refuse = refuse;
  p.needs = needs;
  p.work = work;
  p.model = model;
  p.predict = predict;
  p.findings = findings;
  for (auto const& [access, microseconds] : {std::pair{"row_row", 1.552}, std::pair{"col_col", 2.464}})
    p.published.push_back({"native_static",
                           Type::i32,
                           {{"access", access}, {"shape", "32x32"}, {"pad", "0"}, {"repeat", "1"}},
                           microseconds,
                           "us",
                           "GPU not named"});
  return p;
}

}  // namespace tilestride::tile_access
