// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "model/trial.hpp"

namespace tilestride {

/// How many of the cases that were profiled ended how.
struct Profiled {
  std::size_t verified = 0, failed = 0, skipped = 0;
};

/// Launches each case once, in this process, between the switches of a profiler, and says what came of it on stdout.
/// `open_bench` makes a bench on the space of that name.
Profiled profile_cases(std::vector<Case> const& cases, std::function<Bench(std::string const&)> const& open_bench);

}  // namespace tilestride
