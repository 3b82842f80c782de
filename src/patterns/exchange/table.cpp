// SPDX-License-Identifier: BSD-3-Clause
// Messages between ranks: MPI, the vendor's library, and one rank's copies and kernels on another's memory.
#include <map>

#include "patterns/common/findings.hpp"
#include "patterns/exchange/native.hpp"
#include "patterns/exchange/problem.hpp"

namespace tilestride::exchange {
namespace {

double bytes_of(Case const& c) { return static_cast<double>(c.integer("bytes")); }
double received(Case const& c) { return bytes_of(c) * most_received(c.choice("op"), ranks_of(c)); }

std::string refuse(Case const& c) {
  if (c.integer("bytes") % std::int64_t(message_unit) == 0) return "";
  return fmt::format("{} bytes are no whole number of {}", c.integer("bytes"), message_unit);
}

double needs(Case const& c) { return 2 * received(c); }

Work work(Case const& c) { return {received(c)}; }

/// In turn with all others, a rank's messages follow those of each other one.
Quantities derive(Result const& result) {
  Case const& c = *result.planned;
  double const own = result.work.bytes, ranks = own / bytes_of(c) + 1;
  return of_link(result, c.choice("op") == "each_pair" ? ranks * own : own);
}

/// For each operation and size the ways beside each other, the fastest first.
std::vector<std::string> findings(std::vector<Result> const& results) {
  std::map<std::string, std::vector<Result const*>> ways;
  for (Result const& result : results) {
    if (result.outcome == Outcome::passed) ways[result.planned->problem()].push_back(&result);
  }
  std::vector<std::string> sentences;
  for (auto& [problem, of] : ways) {
    std::sort(of.begin(), of.end(), [](Result const* a, Result const* b) { return a->rate() > b->rate(); });
    std::string sentence = problem + ":";
    for (Result const* result : of)
      sentence += fmt::format("{} {} {:.1f} GB/s", result == of.front() ? "" : ",", result->planned->variant->name,
                              result->rate() / 1e9);
    sentences.push_back(sentence);
  }
  return sentences;
}

}  // namespace

Pattern pattern() {
  Pattern p;
  p.name = "exchange";
  p.meaning = "messages between ranks: what do the links between their devices give, and by which way?";
  p.types = {Type::i32};
  p.figure = Figure::bandwidth;
  p.formula =
      "in the columns, where each rank has a device of its own on one host and NVML tells of NVLinks: `of link` = "
      "bytes "
      "that follow each other on a device's links / `link` / time, where `link` is the raw rate of the links of one "
      "device together, one way. `0->1 GB/s`: of each pair alone, the median of the last 101 calls at most. Bytes are "
      "those that a rank "
      "receives; a call ends when all ranks have theirs";
  p.keys = {
      {"bytes", KeyKind::bytes, "64 MiB", {}, "size of one message"},
      {"op",
       KeyKind::choice,
       "pairs",
       {"pairs", "each_pair", "ring", "all_to_all"},
       "ranks 0 and 1, 2 and 3, … both ways at a time; each ordered pair, one after another; each rank to its next; "
       "each "
       "rank to all others"},
  };
  p.variants = {
      portable("mpi", "MPI, on the space's own memory", prepare_by<ByMpi>),
      portable("staged", "by way of the host, in chunks: deep_copy, MPI, deep_copy", prepare_by<Staged>),
      native("native_ipc", "cudaMemcpyAsync into the memory of the rank that receives", prepare_whole<&Launchers::ipc>),
      native("native_ipc_loads", "a kernel of the rank that receives loads from the memory of the other",
             prepare_whole<&Launchers::ipc_loads>),
      native("native_ipc_stores", "a kernel of the rank that sends stores to the memory of the other",
             prepare_whole<&Launchers::ipc_stores>),
      bound("peer_copies",
            "cudaMemcpyPeerAsync, by which each rank reaches the others' devices in its own memory there",
            prepare_whole<&Launchers::peer_copies>)
          .only_on_devices("a host has no peers"),
      library("vendor_nccl", "ncclSend and ncclRecv in a group", prepare_whole<&Launchers::nccl>)
          .only_on_devices("NCCL moves the memory of devices"),
  };
  p.on_hosts = "messages between processes of one or more hosts";
  p.collective = true;
  p.refuse = refuse;
  p.needs = needs;
  p.work = work;
  p.model = no_model;
  p.findings = findings;
  p.derive = derive;
  return p;
}

}  // namespace tilestride::exchange
