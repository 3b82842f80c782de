// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <map>

#include "harness/result.hpp"
#include "patterns/banks.hpp"
#include "patterns/patterns.hpp"
#include "patterns/stencil/global.hpp"
#include "patterns/stencil/read_only.hpp"
#include "patterns/stencil/scratch.hpp"

namespace tilestride {
namespace {

template <class Kernel>
constexpr Prepare kernel = prepare<Stencil, Kernel, float, double>;
constexpr Prepare native = prepare_native<Stencil, float, double>;

std::string refuse(Case const& c) {
  auto const bytes = c.find("bytes")->n[0];
  if (bytes % size_of(c.type) == 0) return "";
  return fmt::format("{} bytes are no whole number of {} elements of {} bytes", bytes, name_of(c.type),
                     size_of(c.type));
}

double bytes(Case const& c) { return static_cast<double>(c.find("bytes")->n[0]); }
double element(Case const& c) { return static_cast<double>(size_of(c.type)); }
double elements(Case const& c) { return bytes(c) / element(c); }
double width(Case const& c) { return static_cast<double>(2 * c.integer("radius") + 1); }
double distinct(Case const& c) { return static_cast<double>(c.integer("distinct")); }

double needs(Case const& c) { return 2 * bytes(c) + element(c) * width(c) * (1 + distinct(c)); }

/// Halo and coefficients are few.
Work work(Case const& c) { return {2 * bytes(c), 2 * width(c) * elements(c)}; }

/// As long as a copy, or as the wavefronts that a multiprocessor serves one a cycle.
Model copy_or(Case const& c, Ceilings const& ceilings, double wavefronts, char const* limiter) {
  Model const copy = copy_model(c, ceilings);
  if (copy.seconds == 0 || ceilings.scratch == 0) return copy;
  double const seconds = wavefronts / ceilings.scratch;
  return seconds > copy.seconds ? Model{seconds, limiter} : copy;
}

/// Of 32 lanes that load, or store, neighbouring elements in scratch.
double element_wavefronts(Case const& c) { return element(c) / 4; }

/// Of 32 lanes that load coefficient k, each from its own row in scratch. Rows of an odd number of elements do not
/// collide.
double coefficient_wavefronts(Case const& c) {
  LaneAddresses address;
  for (int lane = 0; lane < warp_lanes; ++lane)
    address[static_cast<std::size_t>(lane)] =
        lane % c.integer("distinct") * (2 * c.integer("radius") + 1) * size_of(c.type);
  return wavefronts(address, static_cast<int>(size_of(c.type)), Direction::load);
}

Model scratch_model(Case const& c, Ceilings const& ceilings) {
  double const of_inputs = (width(c) + 1) * element_wavefronts(c);
  double const of_coefficients = width(c) / stencil_points * coefficient_wavefronts(c);
  return copy_or(c, ceilings, elements(c) / warp_lanes * (of_inputs + of_coefficients), "scratch");
}

Model constant_model(Case const& c, Ceilings const& ceilings) {
  return copy_or(c, ceilings, elements(c) / warp_lanes / stencil_points * width(c) * distinct(c), "constant");
}

Quantities predict(Case const& c) {
  if (is_host_space(c.space)) return {};
  if (c.variant->name == "native_constant") return {{"addresses/coefficient", distinct(c)}};
  if (c.variant->name == "scratch" || c.variant->name == "native_scratch")
    return {{"wavefronts/coefficient", coefficient_wavefronts(c)}};
  return {};
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
    if (result.planned->variant->name == "native_constant") pair.constant = &result;
    if (result.planned->variant->name == "native_global") pair.global = &result;
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

Pattern stencil_pattern() {
  Pattern pattern{
      "stencil",
      "a weighted sum of neighbours: where should coefficients live, and what when the lanes of a warp want different "
      "ones?",
      {Type::f32, Type::f64},
      Figure::bandwidth,
      "time of a copy of as many bytes. scratch: no less than its wavefronts, for 32 outputs of e bytes (2r + 2)·e/4 "
      "of "
      "inputs and (2r + 1)/4 times those of a coefficient by the bank model (each serves 4 outputs of a thread). "
      "native_constant, a hypothesis: no less than n/32·(2r + 1)/4·distinct wavefronts, since a warp's request for "
      "constants is served address by address, one a cycle of its multiprocessor",
      {
          {"bytes", KeyKind::bytes, "64 MiB", {}, "size of the output"},
          {"radius", KeyKind::integer, "4", choices_of(StencilRadii{}), "neighbours on each side"},
          {"distinct",
           KeyKind::integer,
           "1",
           {"1", "2", "4", "8", "16", "32"},
           "rows of coefficients; element i takes row i mod distinct, so a warp wants as many addresses at once"},
      },
      {
          {"global", "input and coefficients from global memory", Role::solution, kernel<StencilGlobal>, {}},
          {"read_only", "both through const RandomAccess views", Role::solution, kernel<StencilReadOnly>, {}},
          {"scratch",
           "input with halo and coefficients through scratch",
           Role::solution,
           kernel<StencilScratch>,
           {},
           scratch_model},
          Variant{"native_global", "global in raw CUDA", Role::native, native, {}}.twin_of("global"),
          Variant{"native_read_only", "both through __ldg", Role::native, native, {}}.twin_of("read_only"),
          Variant{"native_scratch", "scratch in raw CUDA", Role::native, native, {}, scratch_model}.twin_of("scratch"),
          {"native_constant", "coefficients in __constant__ memory", Role::native, native, {}, constant_model},
      },
      refuse,
      needs,
      work,
      copy_model,
      findings,
  };
  pattern.on_hosts = "there is no memory for constants: caches serve the coefficients, whichever row is asked for";
  pattern.predict = predict;
  return pattern;
}

}  // namespace tilestride
