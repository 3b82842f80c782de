// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// One function a pattern, each beside its kernels; and what several of them share. catalogue.cpp lists them.

#include "plan/pattern.hpp"

namespace tilestride {

Pattern stream_pattern();
Pattern staged_copy_pattern();
Pattern offset_copy_pattern();
Pattern stride_copy_pattern();
Pattern transpose_pattern();
Pattern matmul_pattern();
Pattern aat_pattern();
Pattern tile_access_pattern();
Pattern bank_stride_pattern();
Pattern reduce_pattern();
Pattern shuffle_pattern();
Pattern stencil_pattern();
Pattern latency_pattern();
Pattern occupancy_pattern();
Pattern transfer_pattern();
Pattern batch_pattern();
Pattern overlap_pattern();
Pattern zero_copy_pattern();
Pattern pointer_attributes_pattern();
Pattern peer_pattern();
Pattern l2_window_pattern();
Pattern carveout_pattern();
Pattern fences_pattern();
Pattern litmus_pattern();

/// The time that a copy of as many bytes takes: the model of what only moves data.
Model copy_model(Case const& c, Ceilings const& ceilings);

/// For each problem: the fastest portable variant against the slowest and against the library; and, where both were
/// run, the block that the rule picks against the best.
std::vector<std::string> ladder_findings(std::vector<Result> const& results);

/// For each portable variant of each problem but for `key`: where the rate is highest, where it is lowest, and what the
/// models say of the two.
std::vector<std::string> sweep_findings(std::vector<Result> const& results, std::string const& key);

}  // namespace tilestride
