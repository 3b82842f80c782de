// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>

#include "harness/machine.hpp"
#include "harness/trial.hpp"

namespace tilestride::cuda {

/// The host's clock, for trials in which the host or several streams take part. Their `run` waits until its work is
/// done, so that repetitions never flow into each other.
inline Clock wall_clock(Kokkos::Cuda const& exec) {
  return {"steady_clock", [exec](std::function<void()> const& run, long repetitions) {
            exec.fence("tilestride::clock");
            double const begin = monotonic_now();
            for (long i = 0; i < repetitions; ++i) run();
            exec.fence("tilestride::clock");
            return (monotonic_now() - begin) / static_cast<double>(repetitions);
          }};
}

}  // namespace tilestride::cuda
