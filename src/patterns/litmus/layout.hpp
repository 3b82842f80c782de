// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The sizes of a litmus test and what must lie in memory after it; no Kokkos here.

#include <cstdint>

namespace tilestride {

/// Between whom: two warps of a block, two blocks, a block and the host.
enum class LitmusScope { block, device, system };

constexpr int litmus_lanes = 32;            ///< of a warp; each is one of a pair with a lane of another warp
constexpr int litmus_threads = 64;          ///< of a block: two warps
constexpr int litmus_slots = 1024;          ///< pairs of locations that a pair of threads uses in turn
constexpr int litmus_max_delay = 32;        ///< steps of a random wait before each try, so that all timings occur
constexpr int litmus_max_host_delay = 512;  ///< likewise for the host, whose steps are shorter
constexpr std::int64_t sector_words = 8;    ///< locations lie in sectors of their own: 32 bytes

/// Blocks that take part in the test; the host is its other side in scope `system`.
constexpr int litmus_blocks(LitmusScope scope) { return scope == LitmusScope::system ? 1 : 8; }

/// Two threads each. Within the device a block has both sides of as many pairs; beside the host all its threads are one
/// side.
constexpr int litmus_pairs(LitmusScope scope) {
  return scope == LitmusScope::system ? litmus_threads : litmus_blocks(scope) * litmus_lanes;
}

/// The version that the locations of a slot hold after so many rounds: round r, from 0 on, writes r + 1 into slot r mod
/// litmus_slots; 0 before.
constexpr std::int64_t last_version(std::int64_t slot, std::int64_t rounds) {
  return rounds <= slot ? 0 : (rounds - 1 - slot) / litmus_slots * litmus_slots + slot + 1;
}

}  // namespace tilestride
