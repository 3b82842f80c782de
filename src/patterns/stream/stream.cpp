// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "patterns/patterns.hpp"
#include "patterns/stream/blocked.hpp"
#include "patterns/stream/flat.hpp"
#include "patterns/stream/library_copy.hpp"

namespace tilestride {
namespace {

template <class Kernel>
constexpr Prepare kernel = prepare<Stream, Kernel, float, double, std::int32_t>;
constexpr Prepare native = prepare_native<Stream, float, double, std::int32_t>;

/// Copies come from the memory library, sums from the BLAS; nobody's library does the other three as STREAM defines
/// them.
Trial vendor(Bench& bench, Case const& c) {
  if (c.choice("op") == "copy") return kernel<LibraryCopy>(bench, c);
  return native(bench, c);
}

/// Bytes of one array; a share of the memory is resolved by then.
double array_bytes(Case const& c) { return static_cast<double>(c.find("bytes")->n[0]); }

std::string refuse(Case const& c) {
  auto const bytes = c.find("bytes")->n[0];
  if (bytes % size_of(c.type) == 0) return "";
  return fmt::format("{} bytes are no whole number of {} elements of {} bytes", bytes, name_of(c.type),
                     size_of(c.type));
}

double arrays_touched(Case const& c) {
  std::string const& op = c.choice("op");
  return op == "add" || op == "triad" ? 3 : 2;
}

double needs(Case const& c) { return (c.choice("op") == "dot" ? 3 : arrays_touched(c)) * array_bytes(c); }

Work work(Case const& c) {
  std::string const& op = c.choice("op");
  double const n = array_bytes(c) / static_cast<double>(size_of(c.type));
  return {arrays_touched(c) * array_bytes(c), op == "copy" ? 0 : op == "triad" || op == "dot" ? 2 * n : n};
}

}  // namespace

Pattern stream_pattern() {
  Pattern pattern{
      "stream",
      "copy, scale, add, triad and dot over long arrays: how fast is memory, and how must a loop be written to see it?",
      {Type::f64, Type::f32, Type::i32},
      Figure::bandwidth,
      "time of the library's copy of as many bytes (read + written: 2 arrays for copy, scale and dot, 3 for add and "
      "triad)",
      {
          {"op", KeyKind::choice, "copy", {"copy", "scale", "add", "triad", "dot"}, "what is computed"},
          {"bytes", KeyKind::bytes, "64 MiB", {}, "size of one array"},
      },
      {
          {"flat", "one element per iteration", Role::solution, kernel<Flat>, {}},
          {"blocked", "16 bytes per iteration", Role::solution, kernel<BlockedStream>, {}},
          Variant{"native", "blocked in raw CUDA, 256 threads a block", Role::native, native, {}}.twin_of("blocked"),
          {"vendor", "cudaMemcpyAsync or std::memcpy for copy, BLAS for dot", Role::library, vendor, {}},
      },
      refuse,
      needs,
      work,
      copy_model,
      ladder_findings,
  };
  pattern.quoted = {{"blocked", Type::f32, {{"op", "copy"}}, 898, "GB/s", "Tesla V100, its peak"}};
  return pattern;
}

}  // namespace tilestride
