// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// How a device's team scratch (a GPU's shared memory) serves one request of a warp. Successive words of bank_bytes lie
// in successive banks,
//
//   bank = (address / bank_bytes) mod banks,
//
// and each bank hands out one word in a wavefront. Lanes are served in groups: all together for words of at most
// bank_bytes, half of them for words twice as long, a quarter for four times as long. A group takes as many wavefronts
// as its busiest bank has *different* words to serve; lanes that want the same word share it. A vector load (a word
// longer than bank_bytes) in which every lane has the address of its neighbour lane^1, or every lane that of lane^2, is
// served in groups of twice the size. No Kokkos here.

#include <cstdint>
#include <optional>
#include <vector>

#include "model/hardware.hpp"

namespace tilestride {

/// The numbers in these rules.
struct BankRules {
  int lanes;  ///< of a warp
  int banks;
  int bank_bytes;  ///< of a bank's word
};

/// Of NVIDIA GPUs since compute capability 5.0; an H200 counts exactly this. Earlier hardware had other rules: 16 banks
/// and half-warps that never conflict with each other (1.x), 32 banks for whole warps (2.x), banks that could be
/// switched to 8 bytes (3.x).
constexpr BankRules nvidia_banks{32, 32, 4};

/// Those of a device; none where they are not known.
std::optional<BankRules> bank_rules(Hardware const& hardware);

enum class Direction { load, store };

/// The byte address that each lane of a warp asks for; a lane that asks for none has `no_address`.
using LaneAddresses = std::vector<std::int64_t>;
constexpr std::int64_t no_address = -1;

/// of_lane(lane), for each lane of a warp.
template <class AddressOfLane>
LaneAddresses lane_addresses(int lanes, AddressOfLane const& of_lane) {
  LaneAddresses addresses;
  for (int lane = 0; lane < lanes; ++lane) addresses.push_back(of_lane(lane));
  return addresses;
}

/// Wavefronts of one request for words of 1, 2, 4, 8 or 16 bytes at multiples of their size. Throws std::logic_error
/// for another number of lanes than the rules are for.
int wavefronts(BankRules const& rules, LaneAddresses const& addresses, int word, Direction direction);

}  // namespace tilestride
