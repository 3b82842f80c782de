// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace tilestride {

/// Where the seconds of a worker went; what is missing is starting it, and freeing memory.
struct PhaseTimes {
  double preparing = 0, warming_up = 0, sampling = 0, verifying = 0;
};

}  // namespace tilestride
