// SPDX-License-Identifier: BSD-3-Clause
#include "cuda/ipc.hpp"

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <cstring>

#include "machine/host.hpp"
#include "patterns/common/collective.hpp"

namespace tilestride::cuda {
namespace {

/// What another process needs to open memory: the allocation's handle, and where in it the memory begins.
struct Ticket {
  cudaIpcMemHandle_t allocation;
  std::size_t offset;
};

std::optional<Skip> no_ipc(cudaError_t status, char const* call) {
  cudaGetLastError();  // told here, not by what follows
  return Skip{SkipReason::hardware, fmt::format("{}: {}", call, cudaGetErrorString(status))};
}

/// The beginning of the allocation that `data` lies in. The runtime does not tell it, the driver does.
void* begin_of(void* data) {
  CUdeviceptr begin = 0;
  bool const known = cuMemGetAddressRange(&begin, nullptr, reinterpret_cast<CUdeviceptr>(data)) == CUDA_SUCCESS;
  return known ? reinterpret_cast<void*>(begin) : data;
}

}  // namespace

SharedMemory::~SharedMemory() {
  for (void* const allocation : opened_) cudaIpcCloseMemHandle(allocation);
}

OpenedMemory OpenedMemory::open(Ranks& ranks, void* data) {
  std::optional<Skip> skip;
  Ticket mine{};
  void* const begin = begin_of(data);
  mine.offset = static_cast<std::size_t>(static_cast<char*>(data) - static_cast<char*>(begin));
  if (cudaError_t const status = cudaIpcGetMemHandle(&mine.allocation, begin); status != cudaSuccess)
    skip = no_ipc(status, "cudaIpcGetMemHandle");
  std::string const host = host_facts().name;
  auto const tickets = ranks.of_all(std::string(reinterpret_cast<char const*>(&mine), sizeof mine) + host);
  for (std::string const& ticket : tickets) {
    if (ticket.substr(sizeof mine) != host)
      skip = Skip{SkipReason::hardware, "ranks of several hosts have no memory in common"};
  }
  skip = of_any_rank(ranks, skip);
  if (skip) return {skip, nullptr};

  auto const shared = std::make_shared<SharedMemory>();
  for (int rank = 0; rank < ranks.count() && !skip; ++rank) {
    Ticket ticket;
    std::memcpy(&ticket, tickets[static_cast<std::size_t>(rank)].data(), sizeof ticket);
    void* allocation = begin;
    if (rank != ranks.rank()) {
      cudaError_t const status = cudaIpcOpenMemHandle(&allocation, ticket.allocation, cudaIpcMemLazyEnablePeerAccess);
      if (status != cudaSuccess) {
        skip = no_ipc(status, "cudaIpcOpenMemHandle");
        continue;
      }
      shared->opened_.push_back(allocation);
    }
    shared->addresses_.push_back(static_cast<char*>(allocation) + ticket.offset);
  }
  skip = of_any_rank(ranks, skip);
  if (skip) return {skip, nullptr};
  return {{}, shared};
}

}  // namespace tilestride::cuda
