// SPDX-License-Identifier: BSD-3-Clause
// For instruction sets without a file of their own.
#include "portable/copy_past_caches.hpp"

#include <cstring>

namespace tilestride {

void copy_past_caches(void* to, std::ptrdiff_t to_pitch, void const* from, std::ptrdiff_t from_pitch, int rows,
                      std::size_t bytes) {
  for (int row = 0; row < rows; ++row)
    std::memcpy(static_cast<char*>(to) + row * to_pitch, static_cast<char const*>(from) + row * from_pitch, bytes);
}

}  // namespace tilestride
