// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The chase through constant memory has a source of its own: a module has 64 KiB of constants, and in those that
// include Kokkos half of them are its own.

#include <cuda_runtime_api.h>

#include <vector>

#include "patterns/latency/native.hpp"

namespace tilestride::cuda {

constexpr int constant_lines = 65536 / sizeof(Line);

/// next_lines[i] is the number of the line after line i.
void set_constant_lines(std::vector<std::uint32_t> const& next_lines, cudaStream_t stream);
void launch_constant_chase(std::int64_t steps, Chase* chase, cudaStream_t stream);

}  // namespace tilestride::cuda
