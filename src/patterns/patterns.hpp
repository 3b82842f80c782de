// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// One function a pattern, each beside its kernels; and what several of them share. catalogue.cpp lists them.

#include "plan/pattern.hpp"

namespace tilestride {

Pattern stream_pattern();
Pattern transpose_pattern();
Pattern matmul_pattern();
Pattern aat_pattern();

/// The time that a copy of as many bytes takes: the model of what only moves data.
Model copy_model(Case const& c, Ceilings const& ceilings);

/// For each problem: the fastest portable variant against the slowest and against the library.
std::vector<std::string> ladder_findings(std::vector<Result> const& results);

}  // namespace tilestride
