// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "portable/native.hpp"

namespace tilestride::peer {

struct Launchers {
  Prepare hybrid_copy = nullptr, native_copy = nullptr;
  static Launchers on_device();
};

}  // namespace tilestride::peer
