// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The GPUs that one process sees: their attributes, which is current, and which may use the memory of another.

#include <cuda_runtime_api.h>

#include <utility>
#include <vector>

#include "cuda/check.hpp"

namespace tilestride::cuda {

/// The one getter; attribute_of in cuda/instance.hpp is the same for a Kokkos instance.
inline int attribute(int device, cudaDeviceAttr which) {
  int value = 0;
  check(cudaDeviceGetAttribute(&value, which, device), "cudaDeviceGetAttribute");
  return value;
}

/// CUDA's numbers of the GPUs that this process sees, `first` at the front.
inline std::vector<int> gpus_from(int first) {
  int count = 0;
  check(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
  std::vector<int> gpus{first};
  for (int gpu = 0; gpu < count; ++gpu) {
    if (gpu != first) gpus.push_back(gpu);
  }
  return gpus;
}

/// Keeps the current device of this thread as it was: Kokkos leaves that of the instance that it used last.
class KeepDevice {
 public:
  KeepDevice() { check(cudaGetDevice(&device_), "cudaGetDevice"); }
  ~KeepDevice() { cudaSetDevice(device_); }
  KeepDevice(KeepDevice const&) = delete;
  KeepDevice& operator=(KeepDevice const&) = delete;

 private:
  int device_ = 0;
};

/// Makes a device the current one for as long as this lives.
class OnDevice {
 public:
  explicit OnDevice(int device) { check(cudaSetDevice(device), "cudaSetDevice"); }

 private:
  KeepDevice keep_;
};

inline bool can_access(int device, int peer) {
  int can = 0;
  check(cudaDeviceCanAccessPeer(&can, device, peer), "cudaDeviceCanAccessPeer");
  return can != 0;
}

/// Switches for each of these GPUs whether it may use the memory of the others; the end of this restores what was.
class PeerAccess {
 public:
  PeerAccess(std::vector<int> const& gpus, bool on) : on_(on) {
    for (int const device : gpus) {
      for (int const peer : gpus) {
        if (device != peer && set(device, peer, on_)) changed_.emplace_back(device, peer);
      }
    }
  }
  ~PeerAccess() {
    for (auto const& [device, peer] : changed_) {
      KeepDevice const keep;
      cudaSetDevice(device);
      on_ ? cudaDeviceDisablePeerAccess(peer) : cudaDeviceEnablePeerAccess(peer, 0);
    }
  }
  PeerAccess(PeerAccess const&) = delete;
  PeerAccess& operator=(PeerAccess const&) = delete;

 private:
  /// False where it was switched like that already.
  static bool set(int device, int peer, bool on) {
    OnDevice const here(device);
    cudaError_t const status = on ? cudaDeviceEnablePeerAccess(peer, 0) : cudaDeviceDisablePeerAccess(peer);
    if (status == (on ? cudaErrorPeerAccessAlreadyEnabled : cudaErrorPeerAccessNotEnabled)) {
      cudaGetLastError();  // no error, but kept as one
      return false;
    }
    check(status, on ? "cudaDeviceEnablePeerAccess" : "cudaDeviceDisablePeerAccess");
    return true;
  }

  bool on_;
  std::vector<std::pair<int, int>> changed_;
};

}  // namespace tilestride::cuda
