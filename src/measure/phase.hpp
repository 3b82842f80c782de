// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace tilestride {

/// Seconds for a step that has no limit: one that waits for something that has.
constexpr double no_limit = 0x1p30;

/// The current step of a case.
enum class Phase { starting, preparing, waiting, sampling, verifying, energy };

/// "starting", "preparing", "waiting for other ranks", "sampling", "verifying", "measuring energy".
char const* name_of(Phase phase);

}  // namespace tilestride
