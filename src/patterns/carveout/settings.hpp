// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What the carve-out kernels have in common, free of CUDA: the table and the cases' own keys refer to it. Each kernel
// keeps a working set per block in the memory that a multiprocessor divides between L1 and shared memory.

#include <cstdint>

namespace tilestride::carveout {

constexpr int threads = 256;                      ///< of a block
constexpr std::int64_t table_bytes = 8 << 20;     ///< that the blocks' working sets are taken from: it fits L2
constexpr std::int64_t row_bytes = 16 * threads;  ///< a working set is whole rows: 16 bytes per thread
constexpr int live = 96;                          ///< values per thread of the spill-heavy kernels
constexpr std::int64_t most_blocks = 8192;        ///< so that output and table fit L2

}  // namespace tilestride::carveout
