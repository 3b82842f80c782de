// SPDX-License-Identifier: BSD-3-Clause
// Copies between the host and the device by the calls of CUDA, and the kinds of host memory that Kokkos does not have.
#include "cuda/instance.hpp"
#include "cuda/owners.hpp"
#include "patterns/transfer/problem.hpp"

namespace tilestride::transfer {
namespace {

using namespace cuda;

struct Streams {
  Stream up = make_stream(), down = make_stream();
};

Trial copies(std::shared_ptr<Transfer<Kokkos::Cuda>> const& p) {
  auto const streams = std::make_shared<Streams>();
  auto const bytes = static_cast<std::size_t>(p->bytes());
  HostSteps steps;
  steps.calls = [=] {
    if (p->up)
      check(cudaMemcpyAsync(p->up_to.data(), p->up_from.data, bytes, cudaMemcpyHostToDevice, streams->up.get()),
            "upload");
    if (p->down)
      check(cudaMemcpyAsync(p->down_to.data, p->down_from.data(), bytes, cudaMemcpyDeviceToHost, streams->down.get()),
            "download");
  };
  steps.wait = [=] {
    if (p->up) check(cudaStreamSynchronize(streams->up.get()), "upload");
    if (p->down) check(cudaStreamSynchronize(streams->down.get()), "download");
  };
  return transfer_trial(p, p->model(), steps);
}

Trial prepare_copy(Bench& bench, Case const& c) { return over_transfer<Kokkos::Cuda>(bench, c, copies); }

std::shared_ptr<void> uncached_words(std::size_t bytes) {
  return pinned_memory(bytes, cudaHostAllocWriteCombined | cudaHostAllocMapped);
}

std::shared_ptr<void> pinned_pages(std::shared_ptr<void> const& pages, std::size_t bytes) {
  return cuda::registered(pages, bytes);
}

std::optional<Skip> why_not_pinned(void const* exec) {
  if (attribute_of(exec, cudaDevAttrHostRegisterSupported) != 0) return {};
  return Skip{SkipReason::hardware, "this device takes no memory by cudaHostRegister"};
}

}  // namespace

Launchers Launchers::on_device() {
  Launchers table;
  table.copy = prepare_copy;
  table.write_combined = uncached_words;
  table.registered = pinned_pages;
  table.why_not_registered = why_not_pinned;
  return table;
}

}  // namespace tilestride::transfer
