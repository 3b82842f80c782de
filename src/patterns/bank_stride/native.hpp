// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "portable/native.hpp"

namespace tilestride::bank_stride {

constexpr int steps = 16;        ///< accesses of a thread in one round
constexpr int step_bytes = 128;  ///< from one to the next: once around 32 banks of 4 bytes

// The three arrays of access = partition and arrays, and where the last two begin in a block that holds all of them, in
// bytes.
constexpr int shorts = 128, floats = 64, ints = 256;
constexpr int begin_f = 2 * shorts, begin_i = begin_f + 4 * floats, arrays_bytes = begin_i + 4 * ints;
constexpr int probe_of_arrays = 3;  ///< rounds, each in arrays of its own

/// A lane stores lane + 41 · step + 97 · round, as far as it fits the word; element k of a longer word has k · 65537
/// more. All warps store the same.
constexpr std::uint32_t stored_per_step = 41, stored_per_round = 97, stored_per_element = 65537;

/// What a native bank access works on.
struct Arguments {
  int word;              ///< bytes
  bool store, chained;   ///< else independent loads
  bool partition;        ///< scratch holds three arrays
  bool apart;            ///< each declared by itself
  int threads, repeat;   ///< of the one block; rounds
  int bytes;             ///< of shared memory
  int advance;           ///< bytes from round to round: 0, but the compiler must not know that
  int const* offsets;    ///< of each lane's first word
  void const* image;     ///< what shared memory holds before loads
  void const* second;    ///< what is then written over it; null: nothing
  void *before, *after;  ///< what it held before and after stores
  std::uint32_t* out;    ///< of each thread: the sum of what it has loaded
  double requests;       ///< of all warps in one launch
};

struct Launchers {
  Launcher<Arguments> shared = nullptr;
  static Launchers on_device();
  static Launchers on_host() { return {}; }
};

}  // namespace tilestride::bank_stride
