// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Words of 1 to 16 bytes, each moved by one instruction, and what kernels do with them so that no byte of any can be
// left out.

#include "patterns/bank_stride/native.hpp"
#include "portable/spaces.hpp"

namespace tilestride::bank_stride {

template <int Elements>
struct alignas(4 * Elements) LongWord {
  std::uint32_t element[Elements];
};

using WordSizes = std::integer_sequence<int, 1, 2, 4, 8, 16>;

template <int Bytes>
using Word = std::conditional_t<
    Bytes == 1, std::uint8_t,
    std::conditional_t<Bytes == 2, std::uint16_t, std::conditional_t<Bytes == 4, std::uint32_t, LongWord<Bytes / 4>>>>;

template <class W>
KOKKOS_INLINE_FUNCTION std::uint32_t first_of(W const& word) {
  if constexpr (sizeof(W) <= 4)
    return static_cast<std::uint32_t>(word);
  else
    return word.element[0];
}

/// The sum of the elements behind the first.
template <class W>
KOKKOS_INLINE_FUNCTION std::uint32_t rest_of(W const& word) {
  std::uint32_t sum = 0;
  if constexpr (sizeof(W) > 4) {
    for (int k = 1; k < int(sizeof(W) / 4); ++k) sum += word.element[k];
  }
  return sum;
}

template <class W>
KOKKOS_INLINE_FUNCTION W word_from(std::uint32_t value) {
  if constexpr (sizeof(W) <= 4) {
    return static_cast<W>(value);
  } else {
    W word;
    for (int k = 0; k < int(sizeof(W) / 4); ++k)
      word.element[k] = value + stored_per_element * static_cast<std::uint32_t>(k);
    return word;
  }
}

}  // namespace tilestride::bank_stride
