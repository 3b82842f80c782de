// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What the carve-out kernels have in common, free of CUDA: the table and the cases' own keys refer to it.

#include <cstdint>

namespace tilestride {

/// The kernels. Each keeps a working set a block in the memory that a multiprocessor divides between L1 and shared.
struct Carveout {
  static constexpr int threads = 256;                      ///< of a block
  static constexpr std::int64_t table_bytes = 8 << 20;     ///< that the blocks' working sets are taken from: it fits L2
  static constexpr std::int64_t row_bytes = 16 * threads;  ///< a working set is whole rows: 16 bytes a thread
  static constexpr int live = 96;                          ///< values of a thread of spill_heavy
  static constexpr int resident = 4;                 ///< blocks that its registers must leave room for: 64 a thread
  static constexpr std::int64_t most_blocks = 8192;  ///< so that output and table fit L2
};

}  // namespace tilestride
