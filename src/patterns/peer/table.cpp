// SPDX-License-Identifier: BSD-3-Clause
// Unified addressing: copies from the memory of one GPU to that of another, with and without peer access. The trials
// are in src/cuda/peer.cu.
#include <fmt/format.h>

#include <map>

#include "model/result.hpp"
#include "patterns/common/findings.hpp"
#include "patterns/peer/native.hpp"

namespace tilestride::peer {
namespace {

double gpus_of(Case const& c) { return static_cast<double>(c.integer("gpus")); }
double bytes_of(Case const& c) { return static_cast<double>(c.integer("bytes")); }

std::string refuse(Case const& c) { return refuse_bytes(c.integer("bytes"), c.type); }

/// Of each GPU: what it sends, and what it gets from each other one.
double needs(Case const& c) { return gpus_of(c) * bytes_of(c); }

Work work(Case const& c) { return {gpus_of(c) * (gpus_of(c) - 1) * bytes_of(c)}; }

/// "0->1 GB/s" and the like: the slowest and the fastest pair.
std::string pairs_text(Result const& result) {
  std::pair<std::string, double> const *slowest = nullptr, *fastest = nullptr;
  for (auto const& part : result.measured) {
    if (part.first.find("->") == std::string::npos) continue;
    if (slowest == nullptr || part.second < slowest->second) slowest = &part;
    if (fastest == nullptr || part.second > fastest->second) fastest = &part;
  }
  if (slowest == nullptr) return "";
  auto const pair_of = [](std::string const& name) { return name.substr(0, name.find(' ')); };
  return fmt::format("; pairs from {:.1f} GB/s ({}) to {:.1f} GB/s ({})", slowest->second, pair_of(slowest->first),
                     fastest->second, pair_of(fastest->first));
}

/// What a case is compared with: itself with another value of one key.
std::string name_with(Case c, std::string const& key, std::int64_t choice) {
  for (Value& value : c.values) {
    if (value.key->name == key) value.n[0] = choice;
  }
  return c.name();
}

std::vector<std::string> findings(std::vector<Result> const& results) {
  std::map<std::string, Result const*> by_name;
  for (Result const& result : results) {
    if (result.outcome == Outcome::passed) by_name[result.planned->name()] = &result;
  }
  auto const find = [&](std::string const& name) {
    auto const it = by_name.find(name);
    return it == by_name.end() ? nullptr : it->second;
  };
  std::vector<std::string> sentences;
  for (Result const& result : results) {
    Case const& c = *result.planned;
    if (result.outcome != Outcome::passed || c.choice("access") != "on") continue;
    std::string sentence = fmt::format("{}: {:.1f} GB/s", c.name(), result.rate() / 1e9);
    if (Result const* off = find(name_with(c, "access", 1)))
      sentence += fmt::format(", {:.1f}x what passes by way of the host", result.rate() / off->rate());
    if (Result const* each = find(name_with(c, "direction", 0)); each != nullptr && each != &result)
      sentence += fmt::format(", {:.2f}x one pair at a time", result.rate() / each->rate());
    sentences.push_back(sentence + pairs_text(result));
  }
  return sentences;
}

}  // namespace

Pattern pattern() {
  Pattern p;
  p.name = "peer";
  p.meaning = "copies between GPUs: what is the link between them worth, and what is lost without peer access?";
  p.types = {Type::i32};
  p.figure = Figure::bandwidth;
  p.formula =
      "in the columns, with access on and where NVML tells of NVLinks: `achieved` = bytes / (`link` x pairs at a time; "
      "direction all: x gpus) / time, where `link` is the raw rate of a GPU's NVLinks together, one way. `0->1 GB/s`: "
      "what a pair reached in the last repetition beside those at the same time, by CUDA's numbers of the GPUs. Bytes "
      "are counted once; every ordered pair sends as many";
  p.keys = {
      {"bytes", KeyKind::bytes, "256 MiB", {}, "size of one copy"},
      {"access", KeyKind::choice, "on", {"on", "off"}, "may each GPU use the others' memory? Else by way of the host"},
      {"direction",
       KeyKind::choice,
       "each",
       {"each", "both", "all"},
       "one way, one pair after another; both ways at a time, likewise; all pairs, both ways, at a time"},
      {"gpus", KeyKind::integer, "2", {}, "how many take part", 2},
  };
  p.variants = {
      hybrid("hybrid_copy", "deep_copy on an instance of the GPU that sends",
             "Kokkos deep_copy; streams, memory and peer access by raw CUDA", prepare_whole<&Launchers::hybrid_copy>),
      native("native_copy", "cudaMemcpyPeerAsync", prepare_whole<&Launchers::native_copy>).twin_of("hybrid_copy"),
  };
  p.on_hosts = "a host has no peers: every case is skipped";
  p.refuse = refuse;
  p.needs = needs;
  p.work = work;
  p.memories = gpus_of;
  p.findings = findings;
  return p;
}

}  // namespace tilestride::peer
