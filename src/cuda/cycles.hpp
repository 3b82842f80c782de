// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A cell in device memory for the cycles that a kernel counts of itself.

#include <Kokkos_Core.hpp>
#include <string>

#include "harness/trial.hpp"

namespace tilestride::cuda {

class CycleCell {
 public:
  explicit CycleCell(std::string const& label) : cell_(label) {}
  long long* data() const { return cell_.data(); }

  /// The cycles of the last launch, shared out over `operations`.
  Quantities per(std::string name, double operations) const {
    long long cycles = 0;
    Kokkos::deep_copy(cycles, cell_);
    return {{std::move(name), static_cast<double>(cycles) / operations}};
  }

 private:
  Kokkos::View<long long, Kokkos::CudaSpace> cell_;
};

}  // namespace tilestride::cuda
