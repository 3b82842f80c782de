// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace tilestride {

/// Threads that a GPU of NVIDIA's runs in step.
constexpr int warp_lanes = 32;

}  // namespace tilestride
