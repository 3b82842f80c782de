// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>

namespace tilestride {

enum class Phase : int { starting, preparing, sampling, verifying };

/// Shared memory between the program and its worker: what the worker is doing at this moment. It survives the worker,
/// so that a death can be laid at the right door, and costs the worker a store and its parent no wake-up.
struct Beacon {
  std::atomic<std::int64_t> index{-1};  ///< of the case in the plan; -1: none yet
  std::atomic<Phase> phase{Phase::starting};
  std::atomic<double> limit{0};         ///< seconds that the present step may take before the worker is taken to hang
  std::atomic<std::uint64_t> beats{0};  ///< grows with every step: a worker whose beats stand still hangs
};

}  // namespace tilestride
