// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "portable/native.hpp"

namespace tilestride::stream {

/// In the order in which the key `op` names them.
enum class Op { copy, scale, add, triad, dot };

/// What a native or library stream operation works on: arrays of n elements, and a single one for the sum of `dot`.
struct Arguments {
  Op op;
  void const* a;
  void const* b;  ///< of add, triad and dot
  void* c;        ///< of all but dot
  void* sum;
  std::int64_t n;
};

struct Launchers {
  Launcher<Arguments> blocked = nullptr, vendor = nullptr;
  static Launchers on_device();
  static Launchers on_host();
};

}  // namespace tilestride::stream
