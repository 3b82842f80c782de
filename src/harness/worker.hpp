// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "harness/beacon.hpp"
#include "plan/plan.hpp"

namespace tilestride {

struct WorkerOptions {
  int output = -1;                  ///< descriptor that takes one JSON line per event
  double until = 0;                 ///< monotonic_now() after which no further problem is begun; 0: never
  std::vector<std::string> kokkos;  ///< --kokkos-* flags
};

/// The process that starts Kokkos and does the work: runs the cases of `todo` (indices into the plan), problem by
/// problem, and writes {"kind": "machine"} once and {"kind": "case"} for each case that ends. Returns the exit status:
/// 0 done, or `worker_tainted` when a case threw while it was being measured, and another process had better do the
/// rest.
int run_worker(Plan const& plan, std::vector<std::size_t> const& todo, WorkerOptions const& options, Beacon& beacon);

/// Runs each of these cases once, in this process, between the switches of a profiler. 0 all verified or skipped, 1
/// when one was not verified, 77 when all were skipped.
int profile_cases(Plan const& plan, std::vector<std::size_t> const& indices, std::vector<std::string> const& kokkos);

constexpr int worker_tainted = 70;

}  // namespace tilestride
