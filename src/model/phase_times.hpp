// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace tilestride {

/// How a worker spent its time, in seconds. Starting the worker and freeing memory are not included.
struct PhaseTimes {
  double preparing = 0, warming_up = 0, sampling = 0, verifying = 0;
};

}  // namespace tilestride
