// SPDX-License-Identifier: BSD-3-Clause
// The attributes that CUDA reports for an address, and the time of a query: one query for each page of an allocation,
// at an address inside it.
#include <fmt/format.h>

#include <Kokkos_Core.hpp>

#include "cuda/devices.hpp"
#include "cuda/owners.hpp"
#include "patterns/pointer_attributes/native.hpp"
#include "portable/wall_clock.hpp"

namespace tilestride::pointer_attributes {
namespace {

using namespace cuda;

constexpr std::size_t page = page_bytes;
constexpr std::size_t allocation = query_count * page;
constexpr std::size_t inside = 20;  // bytes from the start of a page to the address that is looked up

/// The address that a side must use for the memory: `base` and the same distance, or none where base is null.
struct Side {
  char const* base = nullptr;
  bool or_none = false;  ///< CUDA may also say that there is none

  bool is_right(void const* answer, std::size_t distance) const {
    if (answer == nullptr) return base == nullptr || or_none;
    return base != nullptr && answer == base + distance;
  }
};

/// An allocation, and what must be said of it.
struct Allocation {
  std::shared_ptr<void> owner;
  cudaMemoryType type;
  int gpu;
  Side device, host;

  char const* address(int query) const {
    return static_cast<char const*>(owner.get()) + static_cast<std::size_t>(query) * page + inside;
  }
  bool is_right(cudaPointerAttributes const& answer, int query) const {
    auto const distance = static_cast<std::size_t>(address(query) - static_cast<char const*>(owner.get()));
    bool const gpu_is_right = type == cudaMemoryTypeUnregistered || answer.device == gpu;
    return answer.type == type && gpu_is_right && device.is_right(answer.devicePointer, distance) &&
           host.is_right(answer.hostPointer, distance);
  }
};

char const* base_of(std::shared_ptr<void> const& owner) { return static_cast<char const*>(owner.get()); }

Allocation device_allocation(int gpu) {
  OnDevice const here(gpu);
  std::shared_ptr<void> const owner = device_memory(allocation);
  return {owner, cudaMemoryTypeDevice, gpu, {base_of(owner)}, {}};
}

Allocation pinned_allocation(int gpu) {
  std::shared_ptr<void> const owner = pinned_memory(allocation, cudaHostAllocMapped);
  return {owner, cudaMemoryTypeHost, gpu, {base_of(owner)}, {base_of(owner)}};
}

/// Pages that were there already. Their address on the device may differ from the host's: CUDA says which it is.
Allocation registered_allocation(int gpu) {
  std::shared_ptr<void> const owner = registered(whole_pages(allocation), allocation, cudaHostRegisterMapped);
  void* on_device = nullptr;
  check(cudaHostGetDevicePointer(&on_device, owner.get(), 0), "cudaHostGetDevicePointer");
  return {owner, cudaMemoryTypeHost, gpu, {static_cast<char const*>(on_device)}, {base_of(owner)}};
}

/// Memory that is not registered with CUDA. Whether the device can use it all the same differs between systems.
Allocation pageable_allocation(int gpu) {
  std::shared_ptr<void> const owner = whole_pages(allocation);
  return {owner, cudaMemoryTypeUnregistered, gpu, {base_of(owner), true}, {base_of(owner), true}};
}

Allocation managed_allocation(int gpu) {
  void* p = nullptr;
  check(cudaMallocManaged(&p, allocation), "cudaMallocManaged");
  std::shared_ptr<void> const owner = DeviceMemory(p);
  return {owner, cudaMemoryTypeManaged, gpu, {base_of(owner)}, {base_of(owner)}};
}

/// `gpus`: this device first.
Allocation allocation_of(std::string const& memory, std::vector<int> const& gpus) {
  if (memory == "device") return device_allocation(gpus[0]);
  if (memory == "pinned") return pinned_allocation(gpus[0]);
  if (memory == "registered") return registered_allocation(gpus[0]);
  if (memory == "pageable") return pageable_allocation(gpus[0]);
  if (memory == "managed") return managed_allocation(gpus[0]);
  return device_allocation(gpus[1]);
}

std::optional<Skip> why_not(std::string const& memory, std::vector<int> const& gpus) {
  if (attribute(gpus[0], cudaDevAttrUnifiedAddressing) == 0)
    return Skip{SkipReason::hardware, "this device has no unified addressing"};
  if (memory == "managed" && attribute(gpus[0], cudaDevAttrManagedMemory) == 0)
    return Skip{SkipReason::hardware, "this device has no managed memory"};
  if (memory != "peer") return {};
  if (gpus.size() < 2) return Skip{SkipReason::one_device, "one GPU where two are needed"};
  if (!can_access(gpus[0], gpus[1]))
    return Skip{SkipReason::hardware, fmt::format("GPU {} cannot use the memory of GPU {}", gpus[0], gpus[1])};
  return {};
}

using Answers = std::vector<cudaPointerAttributes>;

Check verdict(Allocation const& allocation, Answers const& answers) {
  Check check{true, query_count, 0, "every answer exactly"};
  for (int i = 0; i < query_count; ++i) {
    cudaPointerAttributes const& answer = answers[static_cast<std::size_t>(i)];
    if (allocation.is_right(answer, i)) continue;
    if (check.passed)
      check.detail += fmt::format("; the answer to {}: type {}, GPU {}, on the device {}, on the host {}",
                                  static_cast<void const*>(allocation.address(i)), static_cast<int>(answer.type),
                                  answer.device, answer.devicePointer, answer.hostPointer);
    check.passed = false;
    ++check.wrong;
  }
  return check;
}

/// Do the device and the host use the address that was looked up? 1 or 0.
Quantities same_address(Allocation const& allocation, Answers const& answers) {
  void const* const address = allocation.address(0);
  return {{"same on device", answers[0].devicePointer == address ? 1 : 0},
          {"same on host", answers[0].hostPointer == address ? 1 : 0}};
}

Trial prepare_queries(Bench& bench, Case const& c) {
  auto const exec = *std::static_pointer_cast<Kokkos::Cuda>(bench.exec);
  std::vector<int> const gpus = gpus_from(exec.cuda_device());
  std::string const memory = c.choice("memory");
  if (auto const skip = why_not(memory, gpus)) return skipped(skip->reason, skip->words);
  OnDevice const here(gpus[0]);  // whose memory pinned and managed memory is said to be
  auto const allocation = std::make_shared<Allocation const>(allocation_of(memory, gpus));
  auto const answers = std::make_shared<Answers>(query_count);
  auto const access = std::make_shared<std::unique_ptr<PeerAccess>>();
  Trial trial;
  if (memory == "peer") {  // memory that this device may not use has no address on it
    trial.before = [access, gpus] { *access = std::make_unique<PeerAccess>(std::vector{gpus[0], gpus[1]}, true); };
    trial.after = [access] { access->reset(); };
  }
  trial.run = [allocation, answers] {
    for (int i = 0; i < query_count; ++i)
      check(cudaPointerGetAttributes(&(*answers)[static_cast<std::size_t>(i)], allocation->address(i)),
            "cudaPointerGetAttributes");
  };
  trial.clock = wall_clock(exec);
  auto const forget = [answers] {
    cudaPointerAttributes nothing{};
    nothing.type = static_cast<cudaMemoryType>(-1);
    nothing.device = -3;
    answers->assign(query_count, nothing);
  };
  trial.buffers = std::make_shared<Buffers>(Buffers{{"answers", Buffer::Role::output, nullptr, 0, forget}});
  trial.verify = [allocation, answers] { return verdict(*allocation, *answers); };
  trial.measure = [allocation, answers] { return same_address(*allocation, *answers); };
  auto const answer = [&](cudaDeviceAttr which) { return attribute(gpus[0], which) != 0 ? "yes" : "no"; };
  trial.notes["unifiedAddressing"] = answer(cudaDevAttrUnifiedAddressing);
  trial.notes["canUseHostPointerForRegisteredMem"] = answer(cudaDevAttrCanUseHostPointerForRegisteredMem);
  trial.notes["pageableMemoryAccess"] = answer(cudaDevAttrPageableMemoryAccess);
  return trial;
}

}  // namespace

Launchers Launchers::on_device() {
  Launchers table;
  table.queries = prepare_queries;
  return table;
}

}  // namespace tilestride::pointer_attributes
