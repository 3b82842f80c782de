// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// How a GPU's shared memory serves one request of a warp. Successive 4-byte words lie in successive of 32 banks,
//
//   bank = (address / 4) mod 32,
//
// and each bank hands out one word in a wavefront. Lanes are served in groups: all 32 together for words of at most 4
// bytes, 16 for 8 bytes, 8 for 16 bytes. A group takes as many wavefronts as its busiest bank has *different* words to
// serve; lanes that want the same word share it. A vector load (8 or 16 bytes) in which every lane has the address of
// its neighbour lane^1, or every lane that of lane^2, is served in groups of twice the size.
//
// This is what an H200 counts. Earlier hardware had other rules: 16 banks and half-warps that never conflict with each
// other (compute capability 1.x), 32 banks for whole warps (2.x), banks that could be switched to 8 bytes (3.x).

#include <array>
#include <cstdint>

#include "patterns/warp.hpp"

namespace tilestride {

enum class Direction { load, store };

/// The byte address that each lane of a warp asks for; a lane that asks for none has `no_address`.
using LaneAddresses = std::array<std::int64_t, warp_lanes>;
constexpr std::int64_t no_address = -1;

/// Wavefronts of one request for words of 1, 2, 4, 8 or 16 bytes at multiples of their size.
int wavefronts(LaneAddresses const& address, int word, Direction direction);

}  // namespace tilestride
