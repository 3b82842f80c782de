// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "portable/native.hpp"

namespace tilestride::l2_window {

constexpr int threads = 256;  ///< of a block

struct Launchers {
  Prepare hybrid_none = nullptr, hybrid_persisting = nullptr, hybrid_tuned = nullptr, native_none = nullptr,
          native_persisting = nullptr, native_tuned = nullptr, native_graph = nullptr, hybrid_listing = nullptr,
          native_listing = nullptr;
  static Launchers on_device();
};

}  // namespace tilestride::l2_window
