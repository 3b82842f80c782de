// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The sizes of a litmus test and what must lie in memory after it; no Kokkos here.

#include <cstdint>

namespace tilestride::litmus {

/// Between whom: two warps of a block, two blocks, a block and the host.
enum class Scope { block, device, system };

constexpr int slots = 1024;          ///< pairs of locations that a pair of threads uses in turn
constexpr int max_delay = 32;        ///< steps of a random wait before each try, so that all timings occur
constexpr int max_host_delay = 512;  ///< likewise for the host, whose steps are shorter
constexpr std::int64_t spacing = 8;  ///< words from one location to the next: on an H200 each has a sector of its own

/// Threads of a block: two warps. Each is one of a pair with a thread of another warp.
constexpr int threads_of(int warp) { return 2 * warp; }

/// Blocks that take part in the test; the host is its other side in scope `system`.
constexpr int blocks_in(Scope scope) { return scope == Scope::system ? 1 : 8; }

/// Two threads each. Within the device a block has both sides of as many pairs; beside the host all its threads are one
/// side.
constexpr int pairs_in(Scope scope, int warp) {
  return scope == Scope::system ? threads_of(warp) : blocks_in(scope) * warp;
}

/// The version that the locations of a slot hold after so many rounds: round r, from 0 on, writes r + 1 into slot r mod
/// slots; 0 before.
constexpr std::int64_t last_version(std::int64_t slot, std::int64_t rounds) {
  return rounds <= slot ? 0 : (rounds - 1 - slot) / slots * slots + slot + 1;
}

}  // namespace tilestride::litmus
