// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "measure/phase.hpp"
#include "model/phase_times.hpp"
#include "model/result.hpp"

namespace tilestride {

/// Who is told of a group's progress.
struct Observer {
  /// Before each step: what is done for which case, and the seconds after which it must be taken for a hang.
  std::function<void(Case const&, Phase, double limit)> on_step;
  /// Once for each case that ends.
  std::function<void(Result const&)> on_result;
};

struct GroupSettings {
  std::int64_t seed = 1;  ///< of the order within a round
  double until = 0;       ///< monotonic_now() after which a case ends with few samples; 0: never
};

/// Measures the cases of one problem in alternation: prepares them on `bench`, warms up, samples, verifies. Returns
/// false when a case threw on the way: this process is then suspect, and the cases without a result are for another.
bool measure_group(std::vector<Case> const& cases, Bench bench, GroupSettings const& settings, Observer const& observer,
                   PhaseTimes& times);

/// The case on this device: a share of the memory becomes bytes, whole packs of 64.
Case on_device(Case c, Device const& device);

/// Messages of Kokkos and CUDA come in several lines; a reason is one.
std::string one_line(std::string text);

}  // namespace tilestride
