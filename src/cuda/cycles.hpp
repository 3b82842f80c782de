// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "cuda/owners.hpp"
#include "model/trial.hpp"

namespace tilestride::cuda {

/// The cycles that a kernel counts with clock64() for all operations of one launch.
class CycleCount {
 public:
  /// Where the kernel leaves them, in device memory.
  std::int64_t* data() const { return static_cast<std::int64_t*>(cell_.get()); }

  /// NativeKernel::measure: those of the last launch, per operation of Work::operations.
  std::function<Quantities()> per_operation(double operations) const {
    return [count = *this, operations] {
      std::int64_t cycles = 0;
      check(cudaMemcpy(&cycles, count.data(), sizeof cycles, cudaMemcpyDefault), "cudaMemcpy of the cycles");
      return Quantities{{"cycles/op", static_cast<double>(cycles) / operations}};
    };
  }

 private:
  std::shared_ptr<void> cell_ = device_memory(sizeof(std::int64_t));
};

}  // namespace tilestride::cuda
