// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <optional>

#include "model/trial.hpp"

namespace tilestride {

/// Runs calls back to back for at least two seconds, and counts those between two updates of the counter, so that its
/// slow pace is not part of the result. `run`: so many calls, which have ended when it returns. Nothing when the
/// counter does not move within five seconds.
std::optional<EnergyUse> measure_energy(EnergyCounter const& joules, std::function<void(long calls)> const& run,
                                        double seconds_per_call);

}  // namespace tilestride
