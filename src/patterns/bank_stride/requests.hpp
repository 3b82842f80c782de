// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What the lanes of a warp ask for, as data: kernels, verification and bank model use the same addresses. No Kokkos.

#include <cstdint>
#include <string_view>
#include <vector>

#include "patterns/bank_stride/native.hpp"
#include "patterns/common/banks.hpp"

namespace tilestride::bank_stride {

/// One request of a warp.
struct Request {
  LaneAddresses address;  ///< bytes from the beginning of the team's scratch, for each lane
  int word;               ///< bytes
  bool real = false;      ///< the words are floats; else integers, of 4 bytes where they are longer
};

/// A word for each lane, one behind the other.
inline Request neighbours(int lanes, std::int64_t begin, int word, bool real = false) {
  return {lane_addresses(lanes, [=](int lane) { return begin + lane * word; }), word, real};
}

/// Of a value of the key `access`: the words are those of three arrays.
inline bool has_three_arrays(std::string_view access) { return access == "partition" || access == "arrays"; }

/// What a key `access` without three arrays means for one lane, in words.
///   stride     lane l wants word stride · l
///   broadcast  all lanes want the same word
///   multicast  four words, each wanted by a quarter of the lanes
///   permuted   neighbouring words, in no order
inline std::int64_t word_of_lane(std::string_view access, std::int64_t stride, int lanes, int lane) {
  if (access == "broadcast") return 0;
  if (access == "multicast") return 4 * lane / lanes;
  if (access == "permuted") return (13 * lane + 7) % lanes;
  return stride * lane;
}

/// The requests of a warp in one round. Its steps are `step_bytes` apart, so that each meets 32 banks as the first
/// does. A chain asks for the same words in every step.
inline std::vector<Request> requests_of_round(int lanes, std::string_view access, std::int64_t stride,
                                              std::int64_t base, int word, bool chained) {
  std::vector<Request> requests;
  if (has_three_arrays(access)) {  // one behind the other; apart, each meets the banks as it does there
    for (int n = 0; n < shorts; n += lanes) requests.push_back(neighbours(lanes, 2 * n, 2));
    for (int n = 0; n < floats; n += lanes) requests.push_back(neighbours(lanes, begin_f + 4 * n, 4, true));
    for (int n = 0; n < ints; n += lanes) requests.push_back(neighbours(lanes, begin_i + 4 * n, 4));
    return requests;
  }
  for (int step = 0; step < steps; ++step) {
    auto const asked = [=](int lane) {
      return (base + word_of_lane(access, stride, lanes, lane)) * word + (chained ? 0 : step * step_bytes);
    };
    requests.push_back({lane_addresses(lanes, asked), word});
  }
  return requests;
}

}  // namespace tilestride::bank_stride
