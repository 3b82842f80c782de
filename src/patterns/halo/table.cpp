// SPDX-License-Identifier: BSD-3-Clause
// A stencil on a grid whose rows are spread over ranks: every rank needs a row from each of its neighbours.
#include "patterns/common/findings.hpp"
#include "patterns/halo/by_message.hpp"

namespace tilestride::halo {
namespace {

double order(Case const& c) { return static_cast<double>(c.integer("n")); }
double element(Case const& c) { return static_cast<double>(size_of(c.type)); }
double rank_cells(Case const& c) { return order(c) * order(c) / ranks_of(c); }

std::string refuse(Case const& c) {
  std::int64_t const bytes = c.integer("n") * size_of(c.type);
  if (bytes % std::int64_t(message_unit) == 0) return "";
  return fmt::format("rows of {} bytes are no whole number of {}", bytes, message_unit);
}

/// Input and output, two cells more in each row of the input, and two rows.
double needs(Case const& c) { return element(c) * (2 * rank_cells(c) + 2 * order(c) / ranks_of(c) + 2 * order(c)); }

/// Of a rank: its rows read and written; for each cell four products and four sums.
Work work(Case const& c) { return {2 * element(c) * rank_cells(c), 8 * rank_cells(c)}; }

}  // namespace

Pattern pattern() {
  Pattern p;
  p.name = "halo";
  p.meaning = "a stencil on a grid whose rows are spread over ranks: what do the rows of the neighbours cost?";
  p.types = {Type::f32, Type::f64};
  p.figure = Figure::bandwidth;
  p.formula =
      "bytes / rate of a copy as large on each rank, without the messages. In the columns: `exchange us`, `compute "
      "us`: the two steps, the median over the samples. Bytes are those of a rank's rows, read and written once";
  p.keys = {{"n", KeyKind::integer, "1024", {}, "rows and columns of the grid; a rank has n / ranks of its rows", 2}};
  p.variants = {
      portable("mpi", "MPI, on the space's own memory; then the stencil", by<ByMpi>),
      portable("staged", "rows by way of the host; then the stencil", by<Staged>),
      portable("mpi_overlapped", "mpi; rows that need no neighbour are made while messages are under way",
               by<ByMpi, true>),
      portable("staged_overlapped", "staged; likewise", by<Staged, true>),
  };
  p.on_hosts = "the same, between processes; a host makes the rows that need no neighbour before the messages";
  p.collective = true;
  p.refuse = refuse;
  p.needs = needs;
  p.work = work;
  p.model = copy_model;
  p.findings = ladder_findings;
  return p;
}

}  // namespace tilestride::halo
