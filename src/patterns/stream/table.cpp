// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include "patterns/common/findings.hpp"
#include "patterns/common/sectors.hpp"
#include "patterns/common/teams_on_card.hpp"
#include "patterns/stream/blocked.hpp"
#include "patterns/stream/flat.hpp"
#include "patterns/stream/library_copy.hpp"

namespace tilestride::stream {
namespace {

template <class Kernel>
constexpr Prepare kernel = prepare<Stream, Kernel, float, double, std::int32_t>;
template <auto Launcher>
constexpr Prepare raw = prepare_native<Stream, Launcher, float, double, std::int32_t>;

/// Copies come from the memory library, sums from the BLAS; no library does the other three as STREAM defines them.
Trial vendor(Bench& bench, Case const& c) {
  if (op_of(c) == Op::copy) return kernel<LibraryCopy>(bench, c);
  return raw<&Launchers::vendor>(bench, c);
}

/// Bytes of one array; a share of the memory is resolved by then.
double array_bytes(Case const& c) { return static_cast<double>(c.integer("bytes")); }

std::string refuse(Case const& c) { return refuse_bytes(c.integer("bytes"), c.type); }

/// Arrays that the operation reads or writes.
double arrays_touched(Op op) { return op == Op::add || op == Op::triad ? 3 : 2; }

double arrays_read(Op op) { return op == Op::copy || op == Op::scale ? 1 : 2; }
double fetched(Case const& c) { return arrays_read(op_of(c)) * array_bytes(c); }

/// With dot's yardstick, which needs an array to copy to.
double needs(Case const& c) { return (op_of(c) == Op::dot ? 3 : arrays_touched(op_of(c))) * array_bytes(c); }

double flops_per_element(Op op) {
  switch (op) {
    case Op::copy: return 0;
    case Op::scale:
    case Op::add: return 1;
    case Op::triad:
    case Op::dot: return 2;
  }
  return 0;
}

Work work(Case const& c) {
  Op const op = op_of(c);
  double const elements = array_bytes(c) / static_cast<double>(size_of(c.type));
  return {arrays_touched(op) * array_bytes(c), flops_per_element(op) * elements};
}

constexpr std::int64_t team_of_a_range = 128;  ///< threads: what Kokkos gives a RangePolicy on CUDA

Model flat_model(Case const& c, Ceilings const& ceilings) {
  double const elements = array_bytes(c) / static_cast<double>(size_of(c.type));
  return with_teams(copy_model(c, ceilings), c, elements / team_of_a_range, team_of_a_range, "copy");
}

/// A warp's neighbours, so many bytes each. Not of dot, which also sums what its teams leave.
Quantities predict(Case const& c, double bytes) {
  double const request = c.hardware.warp * bytes;
  if (!has_sectors(c.hardware) || op_of(c) == Op::dot || std::fmod(array_bytes(c), request) != 0) return {};
  return {{"sectors/load", request / c.hardware.sector}, {"sectors/store", request / c.hardware.sector}};
}
Quantities flat_predict(Case const& c) { return predict(c, static_cast<double>(size_of(c.type))); }
Quantities blocked_predict(Case const& c) { return predict(c, 16); }

}  // namespace

Pattern pattern() {
  Pattern p;
  p.name = "stream";
  p.meaning =
      "copy, scale, add, triad and dot over long arrays: how fast is memory, and how must a loop be written to see it?";
  p.types = {Type::f64, Type::f32, Type::i32};
  p.figure = Figure::bandwidth;
  p.formula =
      "time of the library's copy of as many bytes (read + written: 2 arrays for copy, scale and dot, 3 for add and "
      "triad); flat: no faster than the card's launch/teams with teams of 128";
  p.keys = {
      {"op", KeyKind::choice, "copy", {"copy", "scale", "add", "triad", "dot"}, "what is computed"},
      {"bytes", KeyKind::bytes, "64 MiB", {}, "size of one array"},
  };
  p.variants = {
      portable("flat", "one element per iteration", kernel<Flat>)
          .with_model(flat_model)
          .with_requested(each_byte_once)
          .with_predict(flat_predict),
      portable("blocked", "16 bytes per iteration", kernel<Blocked>)
          .with_requested(each_byte_once)
          .with_predict(blocked_predict),
      native("native_blocked", "blocked in raw CUDA, 256 threads a block", raw<&Launchers::blocked>)
          .twin_of("blocked")
          .with_requested(each_byte_once)
          .with_predict(blocked_predict),
      library("vendor", "cudaMemcpyAsync or std::memcpy for copy, BLAS for dot", vendor),
  };
  p.refuse = refuse;
  p.needs = needs;
  p.work = work;
  p.fetched = fetched;
  p.model = copy_model;
  p.findings = ladder_findings;
  p.published = {{"blocked", Type::f32, {{"op", "copy"}}, 898, "GB/s", "Tesla V100", "", true}};
  return p;
}

}  // namespace tilestride::stream
