// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "portable/native.hpp"

namespace tilestride::transfer {

struct Launchers {
  Prepare copy = nullptr;

  // Kinds of host memory that Kokkos has no space for.
  /// Allocates so many bytes, pinned and not cached by the CPU.
  std::shared_ptr<void> (*write_combined)(std::size_t bytes) = nullptr;
  /// Pins pages that are there, for as long as what it returns lives.
  std::shared_ptr<void> (*registered)(std::shared_ptr<void> const& pages, std::size_t bytes) = nullptr;
  /// Why the device of this instance cannot use registered memory; nothing where it can.
  std::optional<Skip> (*why_not_registered)(void const* exec) = nullptr;

  static Launchers on_device();
};

}  // namespace tilestride::transfer
