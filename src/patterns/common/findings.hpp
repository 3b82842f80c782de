// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Models and findings that several patterns share.

#include "model/case.hpp"

namespace tilestride {

/// The time that a copy of as many bytes takes: the model of what only moves data.
Model copy_model(Case const& c, Ceilings const& ceilings);

/// The model of variants that no measured ceiling limits.
Model no_model(Case const& c, Ceilings const& ceilings);

/// What a kernel requests that asks for each of its bytes once.
double each_byte_once(Case const& c);

/// Why the number of bytes is not a whole array of that type; empty when it is.
std::string refuse_bytes(std::int64_t bytes, Type type);

/// For each problem: the fastest portable variant against the slowest and against the library; and, where both were
/// run, the block that the rule picks against the best.
std::vector<std::string> ladder_findings(std::vector<Result> const& results);

/// For each portable variant of each problem but for `key`: where the rate is highest, where it is lowest, and what the
/// models say of the two.
std::vector<std::string> sweep_findings(std::vector<Result> const& results, std::string const& key);

}  // namespace tilestride
