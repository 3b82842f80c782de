// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Memory of another GPU that kernels of this one can access.

#include <optional>

#include "cuda/devices.hpp"
#include "cuda/owners.hpp"
#include "model/skip.hpp"

namespace tilestride::cuda {

/// Why no other GPU's memory can be used from `device`.
inline std::optional<Skip> why_no_neighbour(int device) {
  std::vector<int> const gpus = gpus_from(device);
  if (gpus.size() < 2) return Skip{SkipReason::one_device, "one GPU where two are needed"};
  if (attribute(device, cudaDevAttrUnifiedAddressing) == 0 || !can_access(device, gpus[1]))
    return Skip{SkipReason::hardware,
                "GPU " + std::to_string(device) + " cannot use the memory of GPU " + std::to_string(gpus[1])};
  return {};
}

/// On the GPU after `device` in CUDA's order (gpus_from). Access lasts as long as this lives.
class NeighbourMemory {
 public:
  NeighbourMemory(int device, std::size_t bytes)
      : gpu_(gpus_from(device)[1]), bytes_(bytes), access_({device, gpu_}, true) {
    OnDevice const there(gpu_);
    memory_ = device_memory(bytes);
  }

  void* data() const { return memory_.get(); }

  /// All bits to 1, and waits.
  void erase() const {
    OnDevice const there(gpu_);
    check(cudaMemset(memory_.get(), 0xff, bytes_), "cudaMemset of another GPU's memory");
    check(cudaDeviceSynchronize(), "cudaMemset of another GPU's memory");
  }

 private:
  int gpu_;
  std::size_t bytes_;
  PeerAccess access_;
  DeviceMemory memory_;
};

}  // namespace tilestride::cuda
