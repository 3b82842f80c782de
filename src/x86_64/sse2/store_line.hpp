// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <immintrin.h>

#include <cstddef>

#include "portable/lanes.hpp"

namespace tilestride {

/// Stores a line past the caches; `to` is aligned to one. Four stores fill a buffer that combines them: SSE2, which
/// every CPU of x86-64 has.
inline void store_line(char* to, char const* from) {
  for (std::size_t i = 0; i < host_line; i += sizeof(__m128i))
    _mm_stream_si128(reinterpret_cast<__m128i*>(to + i), _mm_loadu_si128(reinterpret_cast<__m128i const*>(from + i)));
}

}  // namespace tilestride
