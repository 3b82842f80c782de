// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What the lanes of a warp ask for, as data: kernels, verification and bank model are told the same addresses. No
// Kokkos.

#include <cstdint>
#include <string_view>
#include <vector>

#include "patterns/bank_stride/native.hpp"
#include "patterns/banks.hpp"

namespace tilestride {

/// One request of a warp.
struct BankRequest {
  LaneAddresses address;  ///< bytes from the beginning of the team's scratch
  int word;               ///< bytes
  bool real = false;      ///< the words are floats; else integers, of 4 bytes where they are longer
};

/// 32 neighbouring words.
inline BankRequest neighbours(std::int64_t begin, int word, bool real = false) {
  BankRequest request{{}, word, real};
  for (int lane = 0; lane < warp_lanes; ++lane) request.address[static_cast<std::size_t>(lane)] = begin + lane * word;
  return request;
}

/// What a key `access` other than partition means for one lane, in words.
///   stride     lane l wants word stride · l
///   broadcast  all lanes want the same word
///   multicast  four words, wanted by eight lanes each
///   permuted   32 neighbouring words, in no order
inline std::int64_t word_of_lane(std::string_view access, std::int64_t stride, int lane) {
  if (access == "broadcast") return 0;
  if (access == "multicast") return lane / 8;
  if (access == "permuted") return (13 * lane + 7) % warp_lanes;
  return stride * lane;
}

/// The requests of a warp in one round. Its steps lie a whole number of times around the banks apart: each meets the
/// banks as the first does. A chain asks for the same words in every step.
inline std::vector<BankRequest> requests_of_round(std::string_view access, std::int64_t stride, std::int64_t base,
                                                  int word, bool chained) {
  std::vector<BankRequest> requests;
  if (access == "partition") {  // short[128], float[64], int[256], one behind the other
    for (int step = 0; step < 4; ++step) requests.push_back(neighbours(64 * step, 2));
    for (int step = 0; step < 2; ++step) requests.push_back(neighbours(256 + 128 * step, 4, true));
    for (int step = 0; step < 8; ++step) requests.push_back(neighbours(512 + 128 * step, 4));
    return requests;
  }
  for (int step = 0; step < bank_steps; ++step) {
    BankRequest request{{}, word};
    for (int lane = 0; lane < warp_lanes; ++lane)
      request.address[static_cast<std::size_t>(lane)] =
          (base + word_of_lane(access, stride, lane)) * word + (chained ? 0 : step * bank_step_bytes);
    requests.push_back(request);
  }
  return requests;
}

}  // namespace tilestride
