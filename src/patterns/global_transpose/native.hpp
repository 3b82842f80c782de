// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "portable/native.hpp"

namespace tilestride::global_transpose {

struct Launchers {
  Prepare ipc_loads = nullptr, ipc_stores = nullptr, ipc_copies = nullptr;
  static Launchers on_device();
};

}  // namespace tilestride::global_transpose
