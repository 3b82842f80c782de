// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <immintrin.h>

namespace tilestride {

/// Stores a line past the caches; `to` is aligned to one.
inline void store_line(char* to, char const* from) {
  _mm512_stream_si512(reinterpret_cast<__m512i*>(to), _mm512_loadu_si512(from));
}

}  // namespace tilestride
