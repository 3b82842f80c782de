// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A cell in device memory for the cycles that a kernel counts of itself.

#include <string>
#include <utility>

#include "cuda/owners.hpp"
#include "harness/trial.hpp"

namespace tilestride::cuda {

class CycleCell {
 public:
  long long* data() const { return static_cast<long long*>(cell_.get()); }

  /// The cycles of the last launch, shared out over `operations`.
  Quantities per(std::string name, double operations) const {
    long long cycles = 0;
    check(cudaMemcpy(&cycles, cell_.get(), sizeof cycles, cudaMemcpyDefault), "cudaMemcpy of the cycles");
    return {{std::move(name), static_cast<double>(cycles) / operations}};
  }

 private:
  std::shared_ptr<void> cell_ = device_memory(sizeof(long long));
};

}  // namespace tilestride::cuda
