// SPDX-License-Identifier: BSD-3-Clause
// Unified addressing: an address says by itself what memory it belongs to. Here CUDA is asked, and its answers are
// checked. (A pattern apart from `peer`, since its figure is a time and that one's a rate.) The trial is in
// src/cuda/pointer_attributes.cu.
#include <fmt/format.h>

#include <algorithm>

#include "deck/units.hpp"
#include "harness/result.hpp"
#include "harness/whole.hpp"
#include "patterns/patterns.hpp"
#include "patterns/pointer_attributes/queries.hpp"

namespace tilestride {
namespace {

/// Addresses alone are asked for: 64 pages of them.
double needs(Case const&) { return 4096.0 * pointer_queries; }

Work work(Case const&) { return {0, 0, pointer_queries}; }

double measured(Result const& result, std::string const& name) {
  for (auto const& [known, value] : result.measured) {
    if (known == name) return value;
  }
  return 0;
}

std::vector<std::string> findings(std::vector<Result> const& results) {
  std::vector<std::string> sentences;
  Result const *slowest = nullptr, *fastest = nullptr;
  for (Result const& result : results) {
    if (result.outcome != Outcome::passed) continue;
    if (slowest == nullptr || result.rate() < slowest->rate()) slowest = &result;
    if (fastest == nullptr || result.rate() > fastest->rate()) fastest = &result;
    bool const same = measured(result, "same on device") != 0;
    std::string const& memory = result.planned->choice("memory");
    if (memory == "registered")
      sentences.push_back(same
                              ? "registered memory has the host's address on the device too: unlike the tutorial says, "
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

Pattern pointer_attributes_pattern() {
  Pattern pattern{
      "pointer_attributes",
      "what memory does an address belong to: is CUDA's answer right, and what does it cost?",
      {Type::i32},
      Figure::latency,
      "none: the driver looks the address up. Checked of each answer: the kind of memory, the GPU, and the addresses "
      "on "
      "the device and on the host. `same on device`, `same on host`: 1 where that is the very address that was asked "
      "for. The time is the host's, whatever the column of the GPU's cycles says",
      {
          {"memory",
           KeyKind::choice,
           "device",
           {"device", "pinned", "registered", "pageable", "managed", "peer"},
           "cudaMalloc; cudaHostAlloc; malloc with cudaHostRegister; malloc alone; cudaMallocManaged; cudaMalloc on a "
           "second GPU"},
      },
      {
          {"native",
           "cudaPointerGetAttributes; Kokkos has the memory space in a View's type and need not ask",
           Role::native,
           prepare_whole,
           {}},
      },
      nullptr,
      needs,
      work,
      nullptr,
      findings,
  };
  pattern.on_hosts = "a host has one kind of address: every case is skipped";
  return pattern;
}

}  // namespace tilestride
