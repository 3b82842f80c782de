// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "machine/host.hpp"
#include "model/trial.hpp"

namespace tilestride {

/// The host's clock; the instance is idle before and after. For spaces without another clock, and for trials that use
/// the host or several instances. The `run` of such a trial waits until its work is done, so that repetitions do not
/// overlap.
template <class Exec>
Clock wall_clock(Exec const& exec) {
  return {"steady_clock", [exec](std::function<void()> const& run, long repetitions) {
            exec.fence("tilestride::clock");
            double const begin = monotonic_now();
            for (long i = 0; i < repetitions; ++i) run();
            exec.fence("tilestride::clock");
            return (monotonic_now() - begin) / static_cast<double>(repetitions);
          }};
}

}  // namespace tilestride
