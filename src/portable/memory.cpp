// SPDX-License-Identifier: BSD-3-Clause
#include "portable/memory.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace tilestride {
namespace {

using Side = std::array<char, guard_bytes>;

/// What belongs on the side that begins at that address.
Side expected(char const* begin) {
  Side side{};
  for (std::size_t i = 0; i < side.size(); ++i)
    side[i] = static_cast<char>(scramble(reinterpret_cast<std::uintptr_t>(begin) + i));
  return side;
}

using DeviceBytes =
    Kokkos::View<char*, Kokkos::DefaultExecutionSpace::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
using HostBytes = Kokkos::View<char*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

}  // namespace

Guards::Guards(void* data, std::int64_t bytes, bool on_device)
    : sides_{static_cast<char*>(data) - guard_bytes, static_cast<char*>(data) + bytes}, on_device_(on_device) {}

void Guards::write() const {
  for (char* const begin : sides_) {
    Side side = expected(begin);
    if (on_device_)
      Kokkos::deep_copy(DeviceBytes(begin, side.size()), HostBytes(side.data(), side.size()));
    else
      std::memcpy(begin, side.data(), side.size());
  }
}

bool Guards::are_untouched() const {
  return std::all_of(std::begin(sides_), std::end(sides_), [&](char* begin) {
    Side found{};
    if (on_device_)
      Kokkos::deep_copy(HostBytes(found.data(), found.size()), DeviceBytes(begin, found.size()));
    else
      std::memcpy(found.data(), begin, found.size());
    return found == expected(begin);
  });
}

}  // namespace tilestride
