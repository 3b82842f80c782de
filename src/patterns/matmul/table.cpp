// SPDX-License-Identifier: BSD-3-Clause
#include "model/spaces.hpp"
#include "patterns/common/findings.hpp"
#include "patterns/common/product_on_host.hpp"
#include "patterns/common/requests_on_card.hpp"
#include "patterns/common/teams_on_card.hpp"
#include "patterns/matmul/blocked.hpp"
#include "patterns/matmul/coalesced.hpp"
#include "patterns/matmul/int8.hpp"
#include "patterns/matmul/kokkos_kernels.hpp"
#include "patterns/matmul/problem.hpp"
#include "patterns/matmul/rounded.hpp"
#include "patterns/matmul/shared.hpp"
#include "patterns/matmul/simple.hpp"
#include "patterns/matmul/split.hpp"

namespace tilestride::matmul {
namespace {

template <class Kernel>
constexpr Prepare kernel = prepare<Matmul, Kernel, float, double>;
constexpr Prepare blocked = prepare_blocked<Matmul, Blocked, float, double>;
template <auto Launcher>
constexpr Prepare raw = prepare_native<Matmul, Launcher, float, double>;
template <class Precision, auto Launcher>
constexpr Prepare rounded = prepare_rounded<Precision, Launcher>;
/// The kernel adds up parts of a sum by itself; the library leaves all of it to the units, which cut off.
constexpr Prepare split_by_kernel = prepare_split<false, &Launchers::tensor_3xtf32>;
constexpr Prepare split_by_library = prepare_split<true, &Launchers::vendor_3xtf32>;

constexpr Prepare by_integers = prepare_int8<&Launchers::vendor_int8>;

/// prepare_native for a launcher that chooses a kernel by time: another call of it may choose another one, so the probe
/// asks the kernel that was chosen.
template <auto Launcher>
Trial prepare_chosen(Bench& bench, Case const& c) {
  return with_launcher<Launcher>(c, [&](auto space, auto launcher) {
    return with_type<float, double>(c.type, [&](auto type) {
      using Problem = Matmul<typename decltype(space)::type, typename decltype(type)::type>;
      auto const problem = problem_on<Problem>(bench, c);
      Trial trial = launched_natively(launcher, problem, c, problem->native_arguments(c));
      if (trial.skip) return trial;
      trial.probe = probe_of(problem, c, false, CallOn<Problem>([run = trial.run](Problem const&) { run(); }));
      return trial;
    });
  });
}

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

/// A, B, C; to verify, a product in f64 and its magnitude in f32; the two ends of the copy that bounds them.
double needs(Case const& c) {
  auto const [m, n, k, e] = extents(c);
  return matrix_bytes(c) + 12 * m * n + 2 * yardstick_bytes(matrix_bytes(c));
}

/// Partial sums and copies of operands beside them, or panels.
double blocked_needs(Case const& c) { return needs(c) + blocked_bytes(c, c.shape()[0], c.shape()[1], c.shape()[2]); }

/// Each matrix moved once, A and B as they are stored.
template <class Precision>
Work rounded_work(Case const& c) {
  auto const [m, n, k, e] = extents(c);
  return {sizeof(typename Precision::Stored) * (m * k + k * n) + e * m * n, 2 * m * n * k};
}

/// Rounded copies of A and B beside them; to verify, the same in f32, with a product of their own.
template <class Precision>
double rounded_needs(Case const& c) {
  auto const [m, n, k, e] = extents(c);
  return needs(c) + (sizeof(typename Precision::Stored) + sizeof(float)) * (m * k + k * n) + 12 * m * n;
}

/// The pieces of A and B beside them.
double split_needs(Case const& c) {
  auto const [m, n, k, e] = extents(c);
  return needs(c) + 2 * e * (m * k + k * n);
}

/// The remainders of A, of B and of their product beside them.
double int8_needs(Case const& c) {
  auto const [m, n, k, e] = extents(c);
  return needs(c) + static_cast<double>(c.integer("moduli")) * (m * k + k * n + sizeof(std::int32_t) * m * n);
}

/// Each matrix moved once: the ideal.
Work work(Case const& c) {
  auto const [m, n, k, e] = extents(c);
  return {matrix_bytes(c), 2 * m * n * k};
}

Model ideal_model(Case const& c, Ceilings const& ceilings) {
  return roofline(ceilings, work(c).flops, matrix_bytes(c), 0);
}

Model blocked_model(Case const& c, Ceilings const& ceilings) {
  auto const [m, n, k, e] = extents(c);
  if (is_host_space(c.space)) return blocked_on_host(c, ceilings, work(c).flops, m * n * e);
  return compute_then_store(ceilings, work(c).flops, e * (m * k + k * n), e * m * n);
}

double multiply_adds(Case const& c) { return work(c).flops / 2; }
double tile(Case const& c) { return static_cast<double>(c.integer("tile")); }

// What each kernel requests from memory when no cache helps: per multiply-add one element of A and one of B, divided by
// Tile for a matrix that is staged.
double requested(Case const& c, double loads) {
  auto const [m, n, k, e] = extents(c);
  return requested_by_product(multiply_adds(c), loads, m * n, e);
}
double simple_requests(Case const& c) { return requested(c, 2); }
double coalesced_requests(Case const& c) { return requested(c, 1 + 1 / tile(c)); }
double shared_requests(Case const& c) { return requested(c, 2 / tile(c)); }
double blocked_requests(Case const& c) {
  auto const [m, n, k, e] = extents(c);
  return requested_by_blocks(c, m, n, k, false);
}

/// A kernel that needs so many wavefronts for a multiply-add of a warp, from scratch or from the L1 cache, which is the
/// same memory. A tile of A and one of B come to each multiprocessor once for each tile of C and of the depth, in all
/// variants: what is not staged stays in L1 as long.
Model tile_model(Case const& c, Ceilings const& ceilings, double wavefronts) {
  return roofline(ceilings, work(c).flops, shared_requests(c),
                  wavefronts_of_products(c.hardware, multiply_adds(c), wavefronts));
}

/// The same for a kernel that also makes so many requests to L1: the unit that serves both does one after the other.
Model with_requests(Case const& c, Ceilings const& ceilings, double wavefronts, double requests) {
  Model const model = tile_model(c, ceilings, wavefronts);
  if (model.seconds == 0) return model;
  double const of_requests = seconds_of_requests(c, multiply_adds(c) / c.hardware.warp * requests);
  if (of_requests == 0 || ceilings.scratch == 0) return {};
  double const seconds =
      wavefronts_of_products(c.hardware, multiply_adds(c), wavefronts) / ceilings.scratch + of_requests;
  return slower_of(model, {seconds, "L1"});
}

ProductOnHost on_host(Case const& c) {
  auto const [m, n, k, e] = extents(c);
  return {c, m, n, k};
}
double staged_a(Case const& c) {
  auto const [m, n, k, e] = extents(c);
  return on_host(c).staging(m * k * e, k * e);
}
double staged_b(Case const& c) {
  auto const [m, n, k, e] = extents(c);
  return on_host(c).staging(k * n * e, n * e);
}

// Per multiply-add of a warp: an element of A for all lanes of a row of the tile, a row of B, and a Tile-th of the
// stores that stage them.
Model simple_model(Case const& c, Ceilings const& ceilings) {
  if (ProductOnHost const host = on_host(c); is_host_space(c.space))
    return host.model({host.updates("update_some"), host.stored(), host.league()});
  return with_requests(c, ceilings, 0, c.hardware.warp / tile(c) + wavefronts_of_row(extents(c).element));
}
Model coalesced_model(Case const& c, Ceilings const& ceilings) {
  if (ProductOnHost const host = on_host(c); is_host_space(c.space))
    return host.model({host.whole_updates("update_some"), staged_a(c), host.stored(), host.league()});
  double const e = extents(c).element;
  return with_requests(c, ceilings, wavefronts_of_broadcast(e) + wavefronts_of_row(e) / tile(c), wavefronts_of_row(e));
}
Model shared_model(Case const& c, Ceilings const& ceilings) {
  if (ProductOnHost const host = on_host(c); is_host_space(c.space))
    return host.model({host.updates_of_tiles(), staged_a(c), staged_b(c), host.stored(), host.league()});
  auto const [m, n, k, e] = extents(c);
  Model const served = tile_model(c, ceilings, wavefronts_of_broadcast(e) + wavefronts_of_row(e) * (1 + 2 / tile(c)));
  double const teams = std::ceil(m / tile(c)) * std::ceil(n / tile(c)), steps = std::ceil(k / tile(c));
  return with_staging(served, c, teams, c.integer("tile") * c.integer("tile"), steps, 2 * steps);
}

// What counters say of the kernels: the loads of global memory, and of one request to scratch the mean of all loads and
// of all stores.
template <class LoadsOf>
Quantities loads(Case const& c, LoadsOf const& loads_of) {
  auto const [m, n, k, e] = extents(c);
  return predict_loads(c, m, n, k, loads_of);
}

Quantities simple_predict(Case const& c) {
  return loads(c, [](TileLoads const& t) { return std::pair(t.row(), t.columns()); });
}
Quantities coalesced_predict(Case const& c) {
  Quantities all = loads(c, [](TileLoads const& t) { return std::pair(t.staged(), t.columns()); });
  return with_scratch(std::move(all), c, false, wavefronts_of_row(extents(c).element));
}
Quantities shared_predict(Case const& c) {
  Quantities all = loads(c, [](TileLoads const& t) { return std::pair(t.staged(), t.staged()); });
  return with_scratch(std::move(all), c, true, wavefronts_of_row(extents(c).element));
}

}  // namespace

Pattern pattern() {
  Pattern p;
  p.name = "matmul";
  p.meaning = "C = A B: from the tutorial's three kernels to the library";
  p.types = {Type::f32, Type::f64};
  p.figure = Figure::compute;
  p.formula =
      "roofline: max(2MNK / FMA rate, bytes / copy rate, what scratch and L1 serve); bytes: with tiles e(2MNK/tile + "
      "MN), since what is not staged stays in L1 as long; blocked computes, then stores: 2MNK / FMA rate + eMN / copy "
      "rate, at least e(MK + KN + MN) / copy rate; wavefronts of scratch per "
      "multiply-add of a warp: e/8 for A, read 16 bytes at a time, e/4 for B, (e/4)/tile for each store that stages; "
      "requests to L1 (simple: warp/tile for A, simple and coalesced: e/4 for B) at the rate of the card's "
      "bandwidth/global_words; shared: and then what its teams wait for by the card, launch/teams and in each step two "
      "barriers and a load from L2; libraries: none. On hosts, tile 32, by the card's steps, one after the other: rows "
      "of 32 "
      "sums, for each row of C, 32 columns and each step of K one of update_some, in shared of update; each element "
      "that "
      "is staged tiles/rows and guarded; each of C guarded, and its bytes twice at the rate at which the card reads a "
      "set as large; blocked: the "
      "multiply-adds, and C likewise";
  p.keys = {
      {"shape", KeyKind::shape, "1024x1024x1024", {"M", "N", "K"}, "A is M x K, B is K x N"},
      {"tile", KeyKind::integer, "32", choices_of(ProductTiles{}),
       "edge of the square tile of C a team makes, elements"},
      {"moduli", KeyKind::integer, "15", choices_of(ModuliCounts{}),
       "numbers that remainders of integers are taken by: each further one holds about four more bits of A and B"},
      block_key<Blocked, float, double>("rows x columns of C that a team makes x steps of K staged at a time"),
  };
  p.variants = {
      portable("simple", "each element from global memory", kernel<Simple>)
          .with_keys({"tile"})
          .with_model(simple_model)
          .with_requested(simple_requests)
          .with_predict(simple_predict),
      portable("coalesced", "A through scratch", kernel<Coalesced>)
          .with_keys({"tile"})
          .with_model(coalesced_model)
          .with_requested(coalesced_requests)
          .with_predict(coalesced_predict),
      portable("shared", "A and B through scratch", kernel<Shared>)
          .with_keys({"tile"})
          .with_model(shared_model)
          .with_requested(shared_requests)
          .with_predict(shared_predict),
      portable("blocked", "A and B through scratch, a block of C in registers", blocked)
          .with_keys({"block"})
          .with_model(blocked_model)
          .with_needs(blocked_needs)
          .with_requested(blocked_requests),
      native("native_simple", "simple in raw CUDA", raw<&Launchers::simple>)
          .twin_of("simple")
          .with_keys({"tile"})
          .with_model(simple_model)
          .with_requested(simple_requests)
          .with_predict(simple_predict),
      native("native_coalesced", "coalesced in raw CUDA, with barriers per warp", raw<&Launchers::coalesced>)
          .twin_of("coalesced")
          .with_keys({"tile"})
          .with_model(coalesced_model)
          .with_requested(coalesced_requests)
          .with_predict(coalesced_predict),
      native("native_shared", "shared in raw CUDA", raw<&Launchers::shared>)
          .twin_of("shared")
          .with_keys({"tile"})
          .with_model(shared_model)
          .with_requested(shared_requests)
          .with_predict(shared_predict),
      // No model for libraries, whose kernels are not known, nor for matrix units: the ceiling is of plain
      // multiply-adds.
      library("kokkos_kernels", "KokkosBlas::gemm, its own kernel", prepare_kokkos_kernels).with_model(no_model),
      library("vendor", "cuBLAS, OpenBLAS", raw<&Launchers::vendor>).with_model(no_model),
      native("native_tensor", "f64 on matrix units (mma.sync), fed by the copy engine",
             prepare_chosen<&Launchers::tensor>)
          .with_model(no_model)
          .on_matrix_units(),
      native("native_tensor_3xtf32", "f32 on matrix units (wgmma): split into TF32, three products", split_by_kernel)
          .with_model(no_model)
          .on_matrix_units(),
      native("native_tensor_tf32", "f32 rounded to TF32 on matrix units (wgmma)",
             rounded<Tf32, &Launchers::tensor_tf32>)
          .with_work(rounded_work<Tf32>)
          .with_needs(rounded_needs<Tf32>)
          .with_model(no_model),
      native("native_tensor_bf16", "f32 rounded to BF16 on matrix units (wgmma)",
             rounded<Bf16, &Launchers::tensor_bf16>)
          .with_work(rounded_work<Bf16>)
          .with_needs(rounded_needs<Bf16>)
          .with_model(no_model),
      library("vendor_3xtf32", "cuBLAS on f32 split into TF32: two kernels that split, three products",
              split_by_library)
          .with_needs(split_needs)
          .with_model(no_model),
      library("vendor_int8", "cuBLAS on integers of 8 bits, remainders of f64: one product for each modulus",
              by_integers)
          .with_keys({"moduli"})
          .with_needs(int8_needs)
          .with_model(no_model),
      library("vendor_tf32", "cuBLAS on f32 rounded to TF32", rounded<Tf32, &Launchers::vendor_tf32>)
          .with_work(rounded_work<Tf32>)
          .with_needs(rounded_needs<Tf32>)
          .with_model(no_model),
      library("vendor_bf16", "cuBLAS on f32 rounded to BF16", rounded<Bf16, &Launchers::vendor_bf16>)
          .with_work(rounded_work<Bf16>)
          .with_needs(rounded_needs<Bf16>)
          .with_model(no_model),
  };
  p.on_hosts =
      "a thread makes a tile of C alone, in its vector lanes; scratch is memory that stays in its cache, and has no "
      "banks";
  p.needs = needs;
  p.work = work;
  p.model = ideal_model;
  p.findings = ladder_findings;
  std::vector<std::pair<std::string, std::string>> const slab{{"shape", "16384x16384x32"}, {"tile", "32"}};
  char const* const v100 = "Tesla V100";
  p.published = {
      {"native_simple", Type::f32, slab, 119.9, "GB/s", v100},
      {"native_coalesced", Type::f32, slab, 144.4, "GB/s", v100},  // the tutorial has barriers per warp
      {"native_coalesced", Type::f32, slab, 77.4, "GB/s", "RTX 3080"},
      {"native_shared", Type::f32, slab, 195.5, "GB/s", v100},
      {"native_coalesced", Type::f32, slab, 1.20, "x", v100, "native_simple"},
      {"native_shared", Type::f32, slab, 1.63, "x", v100, "native_simple"},
  };
  return p;
}

}  // namespace tilestride::matmul
