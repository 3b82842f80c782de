// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstring>

namespace tilestride {

/// Copies so many rows of `bytes` each; pitches in bytes.
inline void copy_rows(void* to, std::ptrdiff_t to_pitch, void const* from, std::ptrdiff_t from_pitch, int rows,
                      std::size_t bytes) {
  for (int row = 0; row < rows; ++row)
    std::memcpy(static_cast<char*>(to) + row * to_pitch, static_cast<char const*>(from) + row * from_pitch, bytes);
}

/// The same, but whole lines of the target go past the caches to memory, without being read first, where the
/// instruction set can say so (src/x86_64); else it is a plain copy (src/absent). What was stored is there for all
/// threads when it returns.
void copy_past_caches(void* to, std::ptrdiff_t to_pitch, void const* from, std::ptrdiff_t from_pitch, int rows,
                      std::size_t bytes);

}  // namespace tilestride
