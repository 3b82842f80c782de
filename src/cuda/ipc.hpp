// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Memory of a device that several processes of one host use: each opens what the others have allocated.

#include <memory>
#include <optional>
#include <vector>

#include "model/ranks.hpp"
#include "model/skip.hpp"

namespace tilestride::cuda {

/// The same buffer of every rank, as addresses of this process: its own, and those of the others, which it has opened.
/// The owner frees it when no other has it open any more.
class SharedMemory {
 public:
  SharedMemory() = default;
  ~SharedMemory();
  SharedMemory(SharedMemory const&) = delete;
  SharedMemory& operator=(SharedMemory const&) = delete;

  template <class T>
  T* of(int rank) const {
    return static_cast<T*>(addresses_[static_cast<std::size_t>(rank)]);
  }

 private:
  friend struct OpenedMemory;
  std::vector<void*> addresses_;  ///< by rank
  std::vector<void*> opened_;     ///< the beginnings of the allocations that they lie in
};

/// Shared memory, or the reason why there is none: the same on all ranks.
struct OpenedMemory {
  std::optional<Skip> skip{};
  std::shared_ptr<SharedMemory const> memory{};

  /// `data` lies in memory that cudaMalloc has given. Collective.
  static OpenedMemory open(Ranks& ranks, void* data);
};

}  // namespace tilestride::cuda
