// SPDX-License-Identifier: BSD-3-Clause
#include "portable/copy_past_caches.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "portable/lanes.hpp"
#include "store_line.hpp"

namespace tilestride {
namespace {

void copy_row(char* to, char const* from, std::size_t bytes) {
  std::size_t const before = std::min(bytes, -reinterpret_cast<std::uintptr_t>(to) % host_line);
  std::memcpy(to, from, before);
  std::size_t done = before;
  for (; done + host_line <= bytes; done += host_line) store_line(to + done, from + done);
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
