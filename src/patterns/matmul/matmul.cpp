// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>

#include "patterns/matmul/coalesced.hpp"
#include "patterns/matmul/kokkos_kernels.hpp"
#include "patterns/matmul/shared.hpp"
#include "patterns/matmul/simple.hpp"
#include "patterns/patterns.hpp"

namespace tilestride {
namespace {

template <class Kernel>
constexpr Prepare kernel = prepare<Matmul, Kernel, float, double>;
constexpr Prepare native = prepare_native<Matmul, float, double>;

struct Extents {
  double m, n, k, element;
};
Extents extents(Case const& c) {
  auto const& s = c.shape();
  return {static_cast<double>(s[0]), static_cast<double>(s[1]), static_cast<double>(s[2]),
          static_cast<double>(size_of(c.type))};
}

/// A, B, C; to verify, a product in f64 and its magnitude in f32; the two ends of the copy that bounds them.
double needs(Case const& c) {
  auto const [m, n, k, e] = extents(c);
  auto const& s = c.shape();
  return e * (m * k + k * n + m * n) + 12 * m * n +
         2 * static_cast<double>(yardstick_bytes(s[0], s[1], s[2], static_cast<std::size_t>(size_of(c.type))));
}

/// Each matrix moved once: the ideal.
Work work(Case const& c) {
  auto const [m, n, k, e] = extents(c);
  return {e * (m * k + k * n + m * n), 2 * m * n * k};
}

/// Roofline: the longest of arithmetic, memory traffic and scratch wavefronts.
Model roofline(Case const& c, Ceilings const& ceilings, double bytes, double wavefronts) {
  if (ceilings.fma == 0 || ceilings.copy == 0) return {};
  Model model{work(c).flops / ceilings.fma, "fma"};
  if (double const t = bytes / ceilings.copy; t > model.seconds) model = {t, "memory"};
  if (ceilings.scratch > 0) {
    if (double const t = wavefronts / ceilings.scratch; t > model.seconds) model = {t, "scratch"};
  }
  return model;
}

Model ideal_model(Case const& c, Ceilings const& ceilings) { return roofline(c, ceilings, work(c).bytes, 0); }

// What each kernel asks of memory when no cache helps: per multiply-add one element of A and one of B, divided by Tile
// for a matrix that is staged. A warp's multiply-add reads its word of A as a broadcast (one wavefront) and 32 words of
// B.
double multiply_adds(Case const& c) { return work(c).flops / 2; }
double tile(Case const& c) { return static_cast<double>(c.integer("tile")); }

Model simple_model(Case const& c, Ceilings const& ceilings) {
  auto const [m, n, k, e] = extents(c);
  return roofline(c, ceilings, e * (2 * multiply_adds(c) + m * n), 0);
}
Model coalesced_model(Case const& c, Ceilings const& ceilings) {
  auto const [m, n, k, e] = extents(c);
  return roofline(c, ceilings, e * (multiply_adds(c) * (1 + 1 / tile(c)) + m * n), multiply_adds(c) / 32);
}
Model shared_model(Case const& c, Ceilings const& ceilings) {
  auto const [m, n, k, e] = extents(c);
  return roofline(c, ceilings, e * (multiply_adds(c) * 2 / tile(c) + m * n), multiply_adds(c) / 32 * (1 + e / 4));
}

}  // namespace

Pattern matmul_pattern() {
  return {
      "matmul",
      "C = A B: from the tutorial's three kernels to the library",
      {Type::f32, Type::f64},
      Figure::compute,
      "roofline: max(2MNK / FMA rate, bytes / copy rate, scratch wavefronts / their rate); bytes as the kernel asks "
      "for them, no cache: "
      "simple e(2MNK + MN), coalesced e(MNK(1 + 1/tile) + MN), shared e(2MNK/tile + MN), others e(MK + KN + MN); "
      "wavefronts per "
      "warp multiply-add: coalesced 1, shared 2 (f64: 3)",
      {
          {"shape", KeyKind::shape, "1024x1024x1024", {"M", "N", "K"}, "A is M x K, B is K x N"},
          {"tile", KeyKind::integer, "32", choices_of(ProductTiles{}),
           "edge of the square tile of C a team makes, elements"},
      },
      {
          {"simple", "each element from global memory", Role::solution, kernel<Simple>, {"tile"}, simple_model},
          {"coalesced", "A through scratch", Role::solution, kernel<Coalesced>, {"tile"}, coalesced_model},
          {"shared", "A and B through scratch", Role::solution, kernel<Shared>, {"tile"}, shared_model},
          {"kokkos_kernels",
           "KokkosBlas::gemm, its own kernel",
           Role::library,
           prepare_kokkos_kernels,
           {},
           ideal_model},
          {"vendor", "cuBLAS, OpenBLAS", Role::library, native, {}, ideal_model},
      },
      nullptr,
      needs,
      work,
      ideal_model,
      ladder_findings,
  };
}

}  // namespace tilestride
