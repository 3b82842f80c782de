// SPDX-License-Identifier: BSD-3-Clause
// A product of matrices that are spread over ranks.
#include "patterns/common/findings.hpp"
#include "patterns/common/product_model.hpp"
#include "patterns/exchange/native.hpp"
#include "patterns/summa/steps.hpp"

namespace tilestride::summa {
namespace {

template <bool library>
Trial by_nccl(Bench& bench, Case const& c) {
  auto const open = exchange::Launchers::on_device().by_nccl;
  if (open == nullptr) return not_built_in(c);
  return prepare_by<library>(bench, c, [open](auto const& exec, Ranks& ranks) { return open(&exec, ranks); });
}

double order(Case const& c) { return static_cast<double>(c.integer("n")); }
double element(Case const& c) { return static_cast<double>(size_of(c.type)); }

/// The block of each matrix of a rank, as elements.
double block_of(Case const& c) { return order(c) * order(c) / ranks_of(c); }

/// What a rank has of rows and columns.
struct Extents {
  double m, k;
};
Extents extents(Case const& c) {
  Grid const grid = Grid::of(ranks_of(c));
  return {order(c) / grid.rows, order(c) / grid.columns};
}

/// Three blocks, a partial product, two slices of each operand; to verify, all rows and columns, and a product in f64
/// with its magnitude; what the blocked product needs for itself; and the ends of a copy.
double needs(Case const& c) {
  auto const [m, k] = extents(c);
  double const width = order(c) / (Grid::of(ranks_of(c)).slices() * static_cast<double>(c.integer("slices")));
  double const own = element(c) * (4 * block_of(c) + 2 * width * (m + k));
  double const verified = element(c) * order(c) * (m + k) + 12 * m * k;
  return own + verified +
         matmul::blocked_bytes(c, static_cast<std::int64_t>(m), static_cast<std::int64_t>(k),
                               static_cast<std::int64_t>(width)) +
         2 * yardstick_bytes(3 * element(c) * block_of(c));
}

/// Of a rank: its blocks moved once.
Work work(Case const& c) { return {3 * element(c) * block_of(c), 2 * block_of(c) * order(c)}; }

Model model(Case const& c, Ceilings const& ceilings) { return roofline(ceilings, work(c).flops, work(c).bytes, 0); }

}  // namespace

Pattern pattern() {
  Pattern p;
  p.name = "summa";
  p.meaning = "C = A B on a grid of ranks: how much of the messages can be hidden behind products?";
  p.types = {Type::f32, Type::f64};
  p.figure = Figure::compute;
  p.formula =
      "roofline of a rank's own part, without the messages: max(2 n^3 / ranks / FMA rate, 3 e n^2 / ranks / copy rate)";
  p.keys = {
      {"n", KeyKind::integer, "1024", {}, "rows and columns of all three matrices", 4},
      {"slices", KeyKind::integer, "4", {}, "of the depth, for each that rows and columns of the grid make necessary"},
  };
  p.variants = {
      portable("mpi", "matmul's blocked product; slices by MPI, on the space's own memory", by<ByMpi>),
      portable("staged", "the same; slices by way of the host", by<Staged>),
      library("vendor_staged", "the library's product; slices by way of the host", by<Staged, true>)
          .with_model(no_model),
      library("nccl", "matmul's blocked product; slices by NCCL", by_nccl<false>)
          .only_on_devices("NCCL moves the memory of devices"),
      library("vendor_nccl", "the library's product; slices by NCCL", by_nccl<true>)
          .with_model(no_model)
          .only_on_devices("NCCL moves the memory of devices"),
  };
  p.on_hosts = "the same, between processes";
  p.collective = true;
  p.needs = needs;
  p.work = work;
  p.model = model;
  p.findings = ladder_findings;
  return p;
}

}  // namespace tilestride::summa
