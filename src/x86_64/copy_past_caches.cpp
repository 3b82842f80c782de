// SPDX-License-Identifier: BSD-3-Clause
#include "portable/copy_past_caches.hpp"

#include <emmintrin.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace tilestride {
namespace {

constexpr std::size_t line = 64;  ///< bytes

/// Four stores fill a buffer that combines them to one line: SSE2, which every CPU of this instruction set has.
void store_line(char* to, char const* from) {
  for (std::size_t i = 0; i < line; i += sizeof(__m128i))
    _mm_stream_si128(reinterpret_cast<__m128i*>(to + i), _mm_loadu_si128(reinterpret_cast<__m128i const*>(from + i)));
}

void copy_row(char* to, char const* from, std::size_t bytes) {
  std::size_t const before = std::min(bytes, -reinterpret_cast<std::uintptr_t>(to) % line);
  std::memcpy(to, from, before);
  std::size_t done = before;
  for (; done + line <= bytes; done += line) store_line(to + done, from + done);
  std::memcpy(to + done, from + done, bytes - done);
}

}  // namespace

void copy_past_caches(void* to, std::ptrdiff_t to_pitch, void const* from, std::ptrdiff_t from_pitch, int rows,
                      std::size_t bytes) {
  for (int row = 0; row < rows; ++row)
    copy_row(static_cast<char*>(to) + row * to_pitch, static_cast<char const*>(from) + row * from_pitch, bytes);
  _mm_sfence();
}

}  // namespace tilestride
