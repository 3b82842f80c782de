// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "harness/result.hpp"
#include "patterns/patterns.hpp"
#include "patterns/transpose/blocked.hpp"
#include "patterns/transpose/copy.hpp"
#include "patterns/transpose/padded.hpp"
#include "patterns/transpose/row_read.hpp"
#include "patterns/transpose/row_write.hpp"
#include "patterns/transpose/tiled.hpp"

namespace tilestride {
namespace {

template <class Kernel>
constexpr Prepare kernel = prepare<Transpose, Kernel, float, double, std::int32_t>;
constexpr Prepare blocked = prepare_blocked<Transpose, BlockedTranspose, float, double, std::int32_t>;
constexpr Prepare native = prepare_native<Transpose, float, double, std::int32_t>;

/// What a copy leaves behind is no transpose: it is judged as the portable copy is.
Trial native_copy(Bench& bench, Case const& c) {
  Trial trial = native(bench, c);
  if (trial.skip.empty()) trial.verify = kernel<TransposeCopy>(bench, c).verify;
  return trial;
}

double elements(Case const& c) { return static_cast<double>(c.shape()[0]) * static_cast<double>(c.shape()[1]); }

double needs(Case const& c) {
  return 2 * (elements(c) * static_cast<double>(size_of(c.type)) + double(matrix_alignment));
}
Work work(Case const& c) { return {2 * elements(c) * static_cast<double>(size_of(c.type)), 0}; }

}  // namespace

Pattern transpose_pattern() {
  Pattern pattern{
      "transpose",
      "out = in transposed: does staging a tile in scratch pay, and what do bank conflicts cost?",
      {Type::f32, Type::f64, Type::i32},
      Figure::bandwidth,
      "time of a copy of as many bytes (2 x rows x cols x size of an element)",
      {
          {"shape", KeyKind::shape, "4096x4096", {"rows", "cols"}, "extents of the input"},
          {"tile", KeyKind::integer, "32", choices_of(Tiled::Tiles{}), "edge of the square tile in scratch, elements"},
          block_key<BlockedTranspose, float, double, std::int32_t>("rows x columns of in that a team turns"),
      },
      {
          {"copy", "tiles copied, not turned: a bound for the others", Role::bound, kernel<TransposeCopy>, {}},
          {"row_read", "naive: rows read, columns written", Role::solution, kernel<RowRead>, {}},
          {"row_write", "naive: columns read, rows written", Role::solution, kernel<RowWrite>, {}},
          {"tiled", "through a tile in scratch, whose columns share a bank", Role::solution, kernel<Tiled>, {"tile"}},
          {"padded", "the tile one column wider: no bank conflicts", Role::solution, kernel<Padded>, {"tile"}},
          {"blocked",
           "larger tiles, many loads under way, rows written by whole sectors",
           Role::solution,
           blocked,
           {"block"}},
          Variant{"native_copy", "copy in raw CUDA", Role::bound, native_copy, {}}.twin_of("copy").only_on_devices(
              "raw CUDA has no meaning on a host"),
          Variant{"native_row_read", "row_read in raw CUDA", Role::native, native, {}}.twin_of("row_read"),
          Variant{"native_row_write", "row_write in raw CUDA", Role::native, native, {}}.twin_of("row_write"),
          Variant{"native_tiled", "tiled in raw CUDA", Role::native, native, {"tile"}}.twin_of("tiled"),
          Variant{"native_padded", "padded in raw CUDA", Role::native, native, {"tile"}}.twin_of("padded"),
          Variant{
              "native_dynamic", "native_padded, its shared memory sized at the launch", Role::native, native, {"tile"}}
              .twin_of("padded"),
          {"vendor", "cuBLAS geam, OpenBLAS omatcopy", Role::library, native, {}},
      },
      nullptr,
      needs,
      work,
      copy_model,
      ladder_findings,
  };
  pattern.on_hosts =
      "tiles keep the strided side in the cache; there are no banks, so that padded differs little from tiled";
  char const* const laptop = "RTX 3050 Laptop";
  pattern.quoted = {
      {"row_read", Type::i32, {{"shape", "4096x4096"}}, 41.0, "GB/s", laptop},
      {"tiled", Type::i32, {{"shape", "4096x4096"}, {"tile", "32"}}, 74.6, "GB/s", laptop},
      {"padded", Type::i32, {{"shape", "4096x4096"}, {"tile", "32"}}, 110.0, "GB/s", laptop},
      {"row_read", Type::i32, {{"shape", "4096x4096"}}, 3270, "us", laptop},
      {"tiled", Type::i32, {{"shape", "4096x4096"}, {"tile", "32"}}, 1800, "us", laptop},
      {"padded", Type::i32, {{"shape", "4096x4096"}, {"tile", "32"}}, 1220, "us", laptop},
  };
  return pattern;
}

}  // namespace tilestride
