// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "model/trial.hpp"

namespace tilestride {

/// The number of profiled cases by outcome.
struct Profiled {
  std::size_t verified = 0, failed = 0, skipped = 0;
};

/// Launches each case once, in this process, with the profiler switched on for the launch, and prints the result on
/// stdout. Of several cases those whose kernels are not known beforehand are not profiled: a profiler's list of kernels
/// would not tell which case they belong to. `open_bench` creates a bench on the space of that name.
Profiled profile_cases(std::vector<Case> const& cases, std::function<Bench(std::string const&)> const& open_bench);

}  // namespace tilestride
