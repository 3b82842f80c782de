// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>

namespace tilestride {

/// Pageable host memory in separate pages: two pinned buffers must not share a page.
inline std::shared_ptr<void> whole_pages(std::size_t bytes) {
  constexpr std::size_t page = 4096;
  void* const p = std::aligned_alloc(page, (bytes + page - 1) / page * page);
  if (p == nullptr) throw std::bad_alloc();
  return {p, std::free};
}

}  // namespace tilestride
