// SPDX-License-Identifier: BSD-3-Clause
// Unified addressing: an address alone tells what memory it belongs to. Here CUDA's answers are checked. (A pattern
// apart from `peer`, since its figure is a time and that one's a rate.) The trial is in src/cuda/pointer_attributes.cu.
#include <fmt/format.h>

#include "model/result.hpp"
#include "model/units.hpp"
#include "patterns/pointer_attributes/native.hpp"

namespace tilestride::pointer_attributes {
namespace {

/// Only addresses are looked up: no page is touched.
double needs(Case const&) { return static_cast<double>(page_bytes) * query_count; }

Work work(Case const&) { return {0, 0, query_count}; }

std::vector<std::string> findings(std::vector<Result> const& results) {
  std::vector<std::string> sentences;
  Result const *slowest = nullptr, *fastest = nullptr;
  for (Result const& result : results) {
    if (result.outcome != Outcome::passed) continue;
    if (slowest == nullptr || result.rate() < slowest->rate()) slowest = &result;
    if (fastest == nullptr || result.rate() > fastest->rate()) fastest = &result;
    bool const same = result.measured_value("same on device") != 0;
    std::string const& memory = result.planned->choice("memory");
    if (memory == "registered")
      sentences.push_back(same
                              ? "registered memory has the host's address on the device too: contrary to the tutorial, "
                                "cudaHostGetDevicePointer is not needed here"
                              : "registered memory has another address on the device than on the host: "
                                "cudaHostGetDevicePointer is needed, as the tutorial says");
    if (memory == "pageable")
      sentences.push_back(same ? "memory of malloc is unregistered, and the device may use it at the host's address"
                               : "memory of malloc is unregistered, and has no address on the device");
  }
  if (fastest != slowest)
    sentences.push_back(fmt::format("a query takes from {} ({}) to {} ({})", short_time(1 / fastest->rate()),
                                    fastest->planned->choice("memory"), short_time(1 / slowest->rate()),
                                    slowest->planned->choice("memory")));
  return sentences;
}

}  // namespace

Pattern pattern() {
  Pattern p;
  p.name = "pointer_attributes";
  p.meaning = "what memory does an address belong to: is CUDA's answer right, and what does it cost?";
  p.types = {Type::i32};
  p.figure = Figure::latency;
  p.formula =
      "none: the driver looks the address up. Checked of each answer: the kind of memory, the GPU, and the addresses "
      "on "
      "the device and on the host. `same on device`, `same on host`: 1 where that is the address that was looked up. "
      "The "
      "time is the host's, whatever the column of the GPU's cycles says";
  p.keys = {
      {"memory",
       KeyKind::choice,
       "device",
       {"device", "pinned", "registered", "pageable", "managed", "peer"},
       "cudaMalloc; cudaHostAlloc; malloc with cudaHostRegister; malloc alone; cudaMallocManaged; cudaMalloc on a "
       "second "
       "GPU"},
  };
  p.variants = {
      native("native_queries", "cudaPointerGetAttributes; in Kokkos the memory space is in a View's type",
             prepare_whole<&Launchers::queries>),
  };
  p.on_hosts = "a host has one kind of address: every case is skipped";
  p.needs = needs;
  p.work = work;
  p.findings = findings;
  return p;
}

}  // namespace tilestride::pointer_attributes
