// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "portable/native.hpp"

namespace tilestride::batch {

struct Launchers {
  Prepare many = nullptr, packed = nullptr, batched = nullptr;
  static Launchers on_device();
};

}  // namespace tilestride::batch
