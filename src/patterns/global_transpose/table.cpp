// SPDX-License-Identifier: BSD-3-Clause
// A matrix whose rows are spread over ranks, transposed: every rank needs something from every other one.
#include "patterns/common/findings.hpp"
#include "patterns/exchange/native.hpp"
#include "patterns/global_transpose/by_message.hpp"
#include "patterns/global_transpose/native.hpp"

namespace tilestride::global_transpose {
namespace {

/// By the vendor's library, where this program has one.
Trial by_nccl(Bench& bench, Case const& c) {
  auto const open = exchange::Launchers::on_device().by_nccl;
  if (open == nullptr) return not_built_in(c);
  return prepare_by(bench, c, [open](auto const& exec, Ranks& ranks) { return open(&exec, ranks); });
}

double order(Case const& c) { return static_cast<double>(c.integer("n")); }
double rank_bytes(Case const& c) { return order(c) * order(c) / ranks_of(c) * static_cast<double>(size_of(c.type)); }

double needs(Case const& c) { return 2 * rank_bytes(c); }
double needs_blocks(Case const& c) { return 4 * rank_bytes(c); }

Work work(Case const& c) { return {2 * rank_bytes(c)}; }

/// What a rank receives: its rows but the block that it has already.
Quantities derive(Result const& result) {
  Case const& c = *result.planned;
  double const n = order(c), size = static_cast<double>(size_of(c.type)), rows = result.work.bytes / (2 * n * size);
  return of_link(result, rows * (n - rows) * size);
}

Variant nccl(std::string name, std::string meaning) {
  return library(std::move(name), std::move(meaning), by_nccl).only_on_devices("NCCL moves the memory of devices");
}
Variant in_blocks(Variant variant) { return std::move(variant).with_needs(needs_blocks); }
Variant in_pieces(Variant variant) { return in_blocks(std::move(variant)).with_keys({"pieces"}); }

}  // namespace

Pattern pattern() {
  Pattern p;
  p.name = "global_transpose";
  p.meaning = "a matrix whose rows are spread over ranks is transposed: what do pack, exchange and turn cost?";
  p.types = {Type::f32, Type::f64};
  p.figure = Figure::bandwidth;
  p.formula =
      "bytes / rate of a copy as large on each rank, without the messages. In the columns: `of link` = bytes that a "
      "rank receives / `link` / time, where `link` is the raw rate of the NVLinks of one device together, one way; "
      "`pack us`, `exchange us`, `turn us`: the three steps, the median over the samples. Bytes are those that a rank "
      "reads and writes";
  p.keys = {
      {"n", KeyKind::integer, "1024", {}, "rows and columns of the matrix; a rank has n / ranks of its rows", 2},
      {"pieces", KeyKind::integer, "8", {}, "of each block, which follow each other through the steps"},
  };
  p.variants = {
      in_blocks(portable("mpi", "MPI, on the space's own memory", by<ByMpi>)),
      in_blocks(portable("staged", "by way of the host, in chunks", by<Staged>)),
      in_pieces(portable("mpi_overlapped", "mpi; a piece is under way while others are packed and turned", by<ByMpi>)),
      in_pieces(portable("staged_overlapped", "staged; likewise", by<Staged>)),
      native("native_ipc_loads", "no pack: a kernel loads tiles from the memory of the others",
             prepare_whole<&Launchers::ipc_loads>),
      native("native_ipc_stores", "no pack: a kernel stores tiles to the memory of the others",
             prepare_whole<&Launchers::ipc_stores>),
      in_pieces(hybrid("hybrid_ipc_copies",
                       "tiles are turned first; copy engines carry them to the memory of the others",
                       "Kokkos kernel; cudaMemcpy2DAsync, streams and shared memory by raw CUDA",
                       prepare_whole<&Launchers::ipc_copies>)),
      in_blocks(nccl("vendor_nccl", "ncclSend and ncclRecv in a group")),
      in_pieces(nccl("vendor_nccl_overlapped", "vendor_nccl; likewise")),
  };
  p.on_hosts = "the same, between processes";
  p.collective = true;
  p.needs = needs;
  p.work = work;
  p.model = copy_model;
  p.findings = ladder_findings;
  p.derive = derive;
  return p;
}

}  // namespace tilestride::global_transpose
