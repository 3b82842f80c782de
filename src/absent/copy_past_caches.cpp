// SPDX-License-Identifier: BSD-3-Clause
// For instruction sets without a file of their own.
#include "portable/copy_past_caches.hpp"

namespace tilestride {

void copy_past_caches(void* to, std::ptrdiff_t to_pitch, void const* from, std::ptrdiff_t from_pitch, int rows,
                      std::size_t bytes) {
  copy_rows(to, to_pitch, from, from_pitch, rows, bytes);
}

}  // namespace tilestride
