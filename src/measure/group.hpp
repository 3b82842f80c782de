// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "measure/phase.hpp"
#include "measure/sampler.hpp"
#include "model/phase_times.hpp"
#include "model/result.hpp"

namespace tilestride {

/// The reason of a rank for a case that another rank cannot run.
constexpr char const* not_on_every_rank = "it does not run on every rank";

/// Callbacks for the progress of a group.
struct Observer {
  /// Called before each step: the case, the phase, and the seconds after which the step counts as hung.
  std::function<void(Case const&, Phase, double limit)> on_step;
  /// Called once for each finished case.
  std::function<void(Result const&)> on_result;
};

struct GroupSettings {
  std::int64_t seed = 1;    ///< for the order within a round
  double until = 0;         ///< monotonic_now() after which cases end early, with few samples; 0: no limit
  Turns turns{};            ///< with other processes
  Ranks* ranks = nullptr;   ///< the other processes, where they are the ranks of one run
  double clock_offset = 0;  ///< seconds from this host's clock to that of rank 0
};

/// Measures the cases of one problem in alternation: prepares them on `bench`, warms up, samples, verifies. Returns
/// false when a case threw an exception: this process may then be in a bad state, and the remaining cases need another
/// process.
bool measure_group(std::vector<Case> const& cases, Bench bench, GroupSettings const& settings, Observer const& observer,
                   PhaseTimes& times);

/// The case on this device: a share of the memory becomes bytes, whole packs of 64.
Case on_device(Case c, Device const& device);

/// What the compiler reports on the kernels of one call. Nothing for a trial with streams and a clock of its own: only
/// the instance's stream is captured; nor where a call waits for the device.
std::vector<KernelUse> kernels_of(Bench const& bench, Trial const& trial);

/// Messages of Kokkos and CUDA come in several lines; a reason is one.
std::string one_line(std::string text);

}  // namespace tilestride
