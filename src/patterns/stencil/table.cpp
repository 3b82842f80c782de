// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "model/result.hpp"
#include "model/spaces.hpp"
#include "patterns/common/banks.hpp"
#include "patterns/common/findings.hpp"
#include "patterns/common/host_steps.hpp"
#include "patterns/common/requests_on_card.hpp"
#include "patterns/common/sectors.hpp"
#include "patterns/common/teams_on_card.hpp"
#include "patterns/stencil/global.hpp"
#include "patterns/stencil/read_only.hpp"
#include "patterns/stencil/scratch.hpp"

namespace tilestride::stencil {
namespace {

template <class Kernel>
constexpr Prepare kernel = prepare<Stencil, Kernel, float, double>;
template <auto Launcher>
constexpr Prepare raw = prepare_native<Stencil, Launcher, float, double>;

// The variants that findings() compares.
constexpr char const* in_global_memory = "native_global";
constexpr char const* in_constant_memory = "native_constant";

std::string refuse(Case const& c) { return refuse_bytes(c.integer("bytes"), c.type); }

double bytes(Case const& c) { return static_cast<double>(c.integer("bytes")); }
double element(Case const& c) { return static_cast<double>(size_of(c.type)); }
double elements(Case const& c) { return bytes(c) / element(c); }
double width(Case const& c) { return static_cast<double>(2 * c.integer("radius") + 1); }
double distinct(Case const& c) { return static_cast<double>(c.integer("distinct")); }

double needs(Case const& c) { return 2 * bytes(c) + element(c) * width(c) * (1 + distinct(c)); }

/// Halo and coefficients are few.
Work work(Case const& c) { return {2 * bytes(c), 2 * width(c) * elements(c)}; }

// What a kernel asks global memory for: stores aside, an element for each neighbour of an output, and its coefficients.
// A thread of a device has them for its points, and one of a host lays them out for all its lanes, chunk by chunk.
double neighbour_requests(Case const& c) { return bytes(c) * (width(c) + 1); }
double global_requests(Case const& c) {
  double const shares = is_host_space(c.space) ? most_rows : team_threads;  // of a chunk, each with its coefficients
  return neighbour_requests(c) + bytes(c) * width(c) * shares / chunk;
}
double staged_requests(Case const& c) {
  return 2 * bytes(c) + bytes(c) / chunk * (width(c) - 1 + width(c) * distinct(c));
}

/// As long as a copy, or as the wavefronts that a multiprocessor serves one a cycle.
Model copy_or(Case const& c, Ceilings const& ceilings, double wavefronts, char const* limiter) {
  Model const copy = copy_model(c, ceilings);
  if (copy.seconds == 0 || ceilings.scratch == 0) return copy;
  return slower_of(copy, {wavefronts / ceilings.scratch, limiter});
}

/// Of a warp that loads coefficient k in scratch, each lane from its own row. Rows of an odd number of elements do not
/// collide.
double coefficient_wavefronts(Case const& c, BankRules const& rules) {
  auto const of_lane = [&](int lane) {
    return lane % c.integer("distinct") * (2 * c.integer("radius") + 1) * size_of(c.type);
  };
  return wavefronts(rules, lane_addresses(rules.lanes, of_lane), static_cast<int>(size_of(c.type)), Direction::load);
}

/// On a host vectors of coefficients and of inputs come from the first-level cache, one of each for each neighbour.
/// Those of inputs begin at any element. `copied` bytes more are at their place.
double host_cache_seconds(Case const& c, double copied) {
  double const placed = seconds_of_cached_bytes(c, "global", width(c) * bytes(c) + copied);
  double const unaligned = seconds_of_cached_bytes(c, "unaligned", width(c) * bytes(c));
  return placed == 0 || unaligned == 0 ? 0 : placed + unaligned;
}

/// What a copy takes beyond its own loads and stores of the first-level cache, and then those of the stencil: lines
/// that come to this cache or leave it keep a core from loading. (The model of execution, cache and memory: J. Treibig
/// and G. Hager, "Introducing a performance model for bandwidth-limited loop kernels", 2009.)
Model host_cached_model(Case const& c, Ceilings const& ceilings) {
  double const copy = copy_model(c, ceilings).seconds, of_copy = seconds_of_cached_bytes(c, "global", 2 * bytes(c));
  Model model = host_model({host_cache_seconds(c, 0)}, "L1");
  if (copy == 0 || model.seconds == 0) return {};
  model.seconds += std::max(0.0, copy - of_copy);
  return model;
}

/// The input is brought to scratch first, and only then worked on: one after the other.
Model host_staged_model(Case const& c, Ceilings const& ceilings) {
  Model const copy = copy_model(c, ceilings);
  return host_model({copy.seconds, host_cache_seconds(c, 2 * bytes(c))}, "L1");
}

/// Each output of a warp has a load for each neighbour, `points` of them one for each coefficient that is loaded so.
Model requests_model(Case const& c, Ceilings const& ceilings, double coefficients) {
  Model copy = copy_model(c, ceilings);
  if (copy.seconds == 0) return copy;
  double const requests = elements(c) / c.hardware.warp * (width(c) + coefficients / points + 1) * element(c) / 4;
  double const seconds = seconds_of_requests(c, requests);
  if (seconds == 0) return {};
  return slower_of(copy, {seconds, "L1"});
}
Model cached_model(Case const& c, Ceilings const& ceilings) {
  return is_host_space(c.space) ? host_cached_model(c, ceilings) : requests_model(c, ceilings, width(c));
}

/// How many pieces of `unit` there are in so much, the last of which may be cut off.
double pieces(double count, double unit) { return std::ceil(count / unit); }

/// A copy's, where the rules of the banks are not known. A team brings its chunk to scratch, waits for it, and works.
Model scratch_model(Case const& c, Ceilings const& ceilings) {
  if (is_host_space(c.space)) return host_staged_model(c, ceilings);
  auto const rules = bank_rules(c.hardware);
  if (!rules) return copy_model(c, ceilings);
  double const of_neighbours = rules->lanes * element(c) / (rules->banks * rules->bank_bytes);  // one load or store
  double const of_inputs = (width(c) + 1) * of_neighbours;
  double const of_coefficients = width(c) / points * coefficient_wavefronts(c, *rules);
  Model const served = copy_or(c, ceilings, elements(c) / rules->lanes * (of_inputs + of_coefficients), "scratch");
  return with_staging(served, c, pieces(elements(c), chunk), team_threads, 1, 1);
}

/// Whether warps and sectors are known, and no chunk is cut off at the end: else nothing is predicted of requests.
bool has_whole_chunks(Case const& c) {
  return has_sectors(c.hardware) && c.integer("bytes") % (chunk * size_of(c.type)) == 0;
}

/// Of a warp that loads coefficient k from global memory, each lane from its own row.
double coefficient_sectors(Case const& c, std::int64_t k) {
  std::set<std::int64_t> sectors;
  for (std::int64_t row = 0; row < c.integer("distinct"); ++row)
    sectors.insert((row * (2 * c.integer("radius") + 1) + k) * size_of(c.type) / c.hardware.sector);
  return static_cast<double>(sectors.size());
}

/// For each coefficient a request, and one for each point of a thread, whose warps begin at a sector.
Quantities request_predictions(Case const& c, bool coefficients_too) {
  if (!has_whole_chunks(c)) return {};
  double requests = 0, sectors = 0;
  for (std::int64_t k = 0; k < 2 * c.integer("radius") + 1; ++k) {
    requests += points + (coefficients_too ? 1 : 0);
    auto const input = sectors_of_request({size_of(c.type), c.hardware.warp}, k, c.hardware.warp, c.hardware.sector);
    sectors += points * static_cast<double>(input) + (coefficients_too ? coefficient_sectors(c, k) : 0);
  }
  return {{"sectors/load", sectors / requests}, {"sectors/store", c.hardware.warp * element(c) / c.hardware.sector}};
}
Quantities global_predictions(Case const& c) { return request_predictions(c, true); }

Quantities scratch_predictions(Case const& c) {
  auto const rules = bank_rules(c.hardware);
  if (!rules) return {};
  double const coefficient = coefficient_wavefronts(c, *rules);
  Quantities all{{"wavefronts/coefficient", coefficient}};
  if (!has_whole_chunks(c)) return all;
  double const inputs = chunk + width(c) - 1, coefficients = width(c) * distinct(c), e = element(c);
  double const row = rules->banks * rules->bank_bytes;  // bytes of a wavefront
  double const requests = pieces(inputs, rules->lanes) + pieces(coefficients, rules->lanes);
  auto const in_units = [&](double bytes) { return pieces(inputs * e, bytes) + pieces(coefficients * e, bytes); };
  double const of_neighbours = rules->lanes * e / row;
  all.emplace_back("sectors/load", in_units(c.hardware.sector) / requests);
  all.emplace_back("sectors/store", c.hardware.warp * e / c.hardware.sector);
  all.emplace_back("store wavefronts", in_units(row) / requests);
  all.emplace_back("load wavefronts", (coefficient + points * of_neighbours) / (1 + points));
  return all;
}

/// A warp's request for constants is served address by address; the neighbours come as those of global do.
Model constant_model(Case const& c, Ceilings const& ceilings) {
  if (c.hardware.warp == 0) return copy_model(c, ceilings);
  Model const constants =
      copy_or(c, ceilings, elements(c) / c.hardware.warp / points * width(c) * distinct(c), "constant");
  Model const neighbours = requests_model(c, ceilings, 0);
  return neighbours.seconds == 0 ? neighbours : slower_of(constants, neighbours);
}

Quantities constant_predictions(Case const& c) {
  if (c.hardware.warp == 0) return {};
  Quantities all = request_predictions(c, false);
  all.emplace_back("addresses/coefficient", distinct(c));
  return all;
}

/// What it costs constant memory that a warp wants several coefficients at once, against the same kernel with
/// coefficients from global memory.
std::vector<std::string> findings(std::vector<Result> const& results) {
  struct Pair {
    Result const *constant = nullptr, *global = nullptr;
  };
  std::map<std::string, std::map<std::int64_t, Pair>> lines;  // by problem without its rows, then by rows
  for (Result const& result : results) {
    if (result.outcome != Outcome::passed) continue;
    std::string const problem = result.planned->problem();
    Pair& pair = lines[problem.substr(0, problem.rfind("/distinct="))][result.planned->integer("distinct")];
    if (result.planned->variant->name == in_constant_memory) pair.constant = &result;
    if (result.planned->variant->name == in_global_memory) pair.global = &result;
  }
  std::vector<std::string> sentences;
  for (auto const& [problem, by_rows] : lines) {
    std::vector<std::string> costs;
    for (auto const& [rows, pair] : by_rows) {
      if (pair.constant == nullptr || pair.global == nullptr) continue;
      costs.push_back(fmt::format("{:.2f}x for {}", pair.global->rate() / pair.constant->rate(), rows));
    }
    if (!costs.empty())
      sentences.push_back(
          fmt::format("{}: constant memory takes, of the time of global memory, {} coefficients at once", problem,
                      fmt::join(costs, ", ")));
  }
  auto const ladder = ladder_findings(results);
  sentences.insert(sentences.end(), ladder.begin(), ladder.end());
  return sentences;
}

}  // namespace

Pattern pattern() {
  Pattern p;
  p.name = "stencil";
  p.meaning =
      "a weighted sum of neighbours: where should coefficients live, and what when the lanes of a warp want different "
      "ones?";
  p.types = {Type::f32, Type::f64};
  p.figure = Figure::bandwidth;
  p.formula =
      "time of a copy of as many bytes; global, read_only: no less than (2r + 1)·5/4 + 1 requests of e/4 lines for 32 "
      "outputs, at the rate of the card's bandwidth/global_words. scratch: no less than its wavefronts, for 32 outputs "
      "of e bytes (2r + 2)·e/4 of inputs and (2r + 1)/4 times those of a coefficient by the bank model (each serves 4 "
      "outputs of a thread), and what a team of 256 that loads takes besides, with a barrier, by the card. "
      "native_constant, a hypothesis: no less than n/32·(2r + 1)/4·distinct wavefronts, since a warp's request for "
      "constants is served address by address, one a cycle of its multiprocessor, and than the requests for "
      "neighbours. On hosts (2r + 1) e bytes of coefficients and as many of neighbours for each output from the "
      "first-level caches, at the best rates of the card's bandwidth/global and bandwidth/unaligned, and the copy less "
      "2 e bytes at the rate of bandwidth/global, one after the other; scratch: 2 e more in place of 2 e less";
  p.keys = {
      {"bytes", KeyKind::bytes, "64 MiB", {}, "size of the output"},
      {"radius", KeyKind::integer, "4", choices_of(Radii{}), "neighbours on each side"},
      {"distinct",
       KeyKind::integer,
       "1",
       {"1", "2", "4", "8", "16", "32"},
       "rows of coefficients; element i takes row i mod distinct, so a warp wants as many addresses at once"},
  };
  p.variants = {
      portable("global", "input and coefficients from global memory", kernel<Global>)
          .with_model(cached_model)
          .with_requested(global_requests)
          .with_predict(global_predictions),
      portable("read_only", "both through const RandomAccess views", kernel<ReadOnly>)
          .with_model(cached_model)
          .with_requested(global_requests)
          .with_predict(global_predictions),
      portable("scratch", "input with halo and coefficients through scratch", kernel<Scratch>)
          .with_model(scratch_model)
          .with_requested(staged_requests)
          .with_predict(scratch_predictions),
      native(in_global_memory, "global in raw CUDA", raw<&Launchers::global>)
          .twin_of("global")
          .with_model(cached_model)
          .with_requested(global_requests)
          .with_predict(global_predictions),
      native("native_read_only", "both through __ldg", raw<&Launchers::read_only>)
          .twin_of("read_only")
          .with_model(cached_model)
          .with_requested(global_requests)
          .with_predict(global_predictions),
      native("native_scratch", "scratch in raw CUDA", raw<&Launchers::scratch>)
          .twin_of("scratch")
          .with_model(scratch_model)
          .with_requested(staged_requests)
          .with_predict(scratch_predictions),
      native(in_constant_memory, "coefficients in __constant__ memory", raw<&Launchers::constant>)
          .with_model(constant_model)
          .with_requested(neighbour_requests)
          .with_predict(constant_predictions),
  };
  p.on_hosts = "there is no memory for constants: caches serve the coefficients, whichever row is asked for";
  p.refuse = refuse;
  p.needs = needs;
  p.work = work;
  p.fetched = bytes;
  p.model = copy_model;
  p.findings = findings;
  return p;
}

}  // namespace tilestride::stencil
