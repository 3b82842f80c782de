// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "model/result.hpp"

namespace tilestride {

/// Why no machine can have reached this figure, in words; empty when it is possible. A kernel that skips work but
/// leaves the right output is seen by this alone.
///
/// Limits: the peaks of the device's data sheet (of memory for what the caches cannot have kept), and where there is
/// none (hosts) five times the rate of the copy or the read that was measured in the same rounds; what caches can move
/// at most; three times the rate of the multiply-adds; for a latency half a clock. `result` has its samples, yardsticks
/// and ceilings.
std::string why_impossible(Result const& result, Case const& c, Device const& device);

}  // namespace tilestride
