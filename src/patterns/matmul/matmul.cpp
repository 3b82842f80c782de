// SPDX-License-Identifier: BSD-3-Clause
#include "patterns/matmul/matmul.hpp"

#include "patterns/matmul/blocked.hpp"
#include "patterns/matmul/coalesced.hpp"
#include "patterns/matmul/kokkos_kernels.hpp"
#include "patterns/matmul/rounded.hpp"
#include "patterns/matmul/shared.hpp"
#include "patterns/matmul/simple.hpp"
#include "patterns/patterns.hpp"

namespace tilestride {
namespace {

template <class Kernel>
constexpr Prepare kernel = prepare<Matmul, Kernel, float, double>;
constexpr Prepare native = prepare_native<Matmul, float, double>;
constexpr Prepare blocked = prepare_blocked<Matmul, Blocked, float, double>;
constexpr Prepare tf32 = prepare_rounded<Tf32>;
constexpr Prepare bf16 = prepare_rounded<Bf16>;

struct Extents {
  double m, n, k, element;
};
Extents extents(Case const& c) {
  auto const& s = c.shape();
  return {static_cast<double>(s[0]), static_cast<double>(s[1]), static_cast<double>(s[2]),
          static_cast<double>(size_of(c.type))};
}

/// Of A, B and C together.
double matrix_bytes(Case const& c) {
  auto const [m, n, k, e] = extents(c);
  return e * (m * k + k * n + m * n);
}

/// What a variant needs for itself: rounded copies of A and B, in f32 to be verified, with a product of their own;
/// partial sums.
double own_bytes(Case const& c) {
  auto const [m, n, k, e] = extents(c);
  if (c.variant->prepare == tf32) return (4 + 4) * (m * k + k * n) + 12 * m * n;
  if (c.variant->prepare == bf16) return (2 + 4) * (m * k + k * n) + 12 * m * n;
  return c.variant->prepare == blocked ? blocked_bytes(c, c.shape()[0], c.shape()[1], c.shape()[2]) : 0;
}

/// A, B, C; to verify, a product in f64 and its magnitude in f32; the two ends of the copy that bounds them.
double needs(Case const& c) {
  auto const [m, n, k, e] = extents(c);
  return matrix_bytes(c) + 12 * m * n + 2 * yardstick_bytes(matrix_bytes(c)) + own_bytes(c);
}

/// Each matrix moved once: the ideal.
Work work(Case const& c) {
  auto const [m, n, k, e] = extents(c);
  return {matrix_bytes(c), 2 * m * n * k};
}

Model ideal_model(Case const& c, Ceilings const& ceilings) {
  return roofline(ceilings, work(c).flops, matrix_bytes(c), 0);
}

// What each kernel asks of memory when no cache helps: per multiply-add one element of A and one of B, divided by Tile
// for a matrix that is staged. Of scratch, per multiply-add of a warp: an element of A for all lanes, a row of B, and a
// Tile-th of the store that staged them.
double multiply_adds(Case const& c) { return work(c).flops / 2; }
double tile(Case const& c) { return static_cast<double>(c.integer("tile")); }

Model simple_model(Case const& c, Ceilings const& ceilings) {
  auto const [m, n, k, e] = extents(c);
  return roofline(ceilings, work(c).flops, e * (2 * multiply_adds(c) + m * n), 0);
}
Model coalesced_model(Case const& c, Ceilings const& ceilings) {
  auto const [m, n, k, e] = extents(c);
  double const wavefronts = wavefronts_of_broadcast(e) + wavefronts_of_row(e) / tile(c);
  return roofline(ceilings, work(c).flops, e * (multiply_adds(c) * (1 + 1 / tile(c)) + m * n),
                  multiply_adds(c) / 32 * wavefronts);
}
Model shared_model(Case const& c, Ceilings const& ceilings) {
  auto const [m, n, k, e] = extents(c);
  double const wavefronts = wavefronts_of_broadcast(e) + wavefronts_of_row(e) * (1 + 2 / tile(c));
  return roofline(ceilings, work(c).flops, e * (multiply_adds(c) * 2 / tile(c) + m * n),
                  multiply_adds(c) / 32 * wavefronts);
}

/// The ceilings are of multiply-adds without matrix units.
Model no_model(Case const&, Ceilings const&) { return {}; }

}  // namespace

Pattern matmul_pattern() {
  Pattern pattern{
      "matmul",
      "C = A B: from the tutorial's three kernels to the library",
      {Type::f32, Type::f64},
      Figure::compute,
      "roofline: max(2MNK / FMA rate, bytes / copy rate, scratch wavefronts / their rate); bytes as the kernel asks "
      "for "
      "them, no cache: simple e(2MNK + MN), coalesced e(MNK(1 + 1/tile) + MN), shared e(2MNK/tile + MN), others e(MK + "
      "KN + MN); wavefronts per multiply-add of a warp: e/8 for A, read 16 bytes at a time, in shared e/4 for B, and "
      "(e/4)/tile for each store that stages",
      {
          {"shape", KeyKind::shape, "1024x1024x1024", {"M", "N", "K"}, "A is M x K, B is K x N"},
          {"tile", KeyKind::integer, "32", choices_of(ProductTiles{}),
           "edge of the square tile of C a team makes, elements"},
          block_key<Blocked, float, double>("rows x columns of C that a team makes x steps of K staged at a time"),
      },
      {
          {"simple", "each element from global memory", Role::solution, kernel<Simple>, {"tile"}, simple_model},
          {"coalesced", "A through scratch", Role::solution, kernel<Coalesced>, {"tile"}, coalesced_model},
          {"shared", "A and B through scratch", Role::solution, kernel<Shared>, {"tile"}, shared_model},
          {"blocked",
           "A and B through scratch, a block of C in registers",
           Role::solution,
           blocked,
           {"block"},
           ideal_model},
          Variant{"native_simple", "simple in raw CUDA", Role::native, native, {"tile"}, simple_model}.twin_of(
              "simple"),
          Variant{"native_coalesced",
                  "coalesced in raw CUDA, where a warp waits for itself alone",
                  Role::native,
                  native,
                  {"tile"},
                  coalesced_model}
              .twin_of("coalesced"),
          Variant{"native_shared", "shared in raw CUDA", Role::native, native, {"tile"}, shared_model}.twin_of(
              "shared"),
          {"kokkos_kernels",
           "KokkosBlas::gemm, its own kernel",
           Role::library,
           prepare_kokkos_kernels,
           {},
           ideal_model},
          {"vendor", "cuBLAS, OpenBLAS", Role::library, native, {}, ideal_model},
          {"native_tensor",
           "f64 on matrix units (mma.sync), fed by the copy engine",
           Role::native,
           native,
           {},
           no_model},
          {"native_tensor_tf32", "f32 rounded to TF32 on matrix units (wgmma)", Role::native, tf32, {}, no_model},
          {"native_tensor_bf16", "f32 rounded to BF16 on matrix units (wgmma)", Role::native, bf16, {}, no_model},
          {"vendor_tf32", "cuBLAS on f32 rounded to TF32", Role::library, tf32, {}, no_model},
          {"vendor_bf16", "cuBLAS on f32 rounded to BF16", Role::library, bf16, {}, no_model},
      },
      nullptr,
      needs,
      work,
      ideal_model,
      ladder_findings,
  };
  pattern.on_hosts =
      "a thread makes a tile of C alone, in its vector lanes; scratch is memory that stays in its cache, and has no "
      "banks";
  std::vector<std::pair<std::string, std::string>> const slab{{"shape", "16384x16384x32"}, {"tile", "32"}};
  pattern.quoted = {
      {"simple", Type::f32, slab, 119.9, "GB/s", "Tesla V100"},
      {"coalesced", Type::f32, slab, 144.4, "GB/s", "Tesla V100"},
      {"coalesced", Type::f32, slab, 77.4, "GB/s", "RTX 3080"},
      {"shared", Type::f32, slab, 195.5, "GB/s", "Tesla V100"},
  };
  return pattern;
}

}  // namespace tilestride
