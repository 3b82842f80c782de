// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace tilestride {

/// The current step of a case.
enum class Phase { starting, preparing, sampling, verifying };

/// "starting", "preparing", "sampling", "verifying".
char const* name_of(Phase phase);

}  // namespace tilestride
