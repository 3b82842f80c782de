// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "portable/native.hpp"

namespace tilestride::litmus {

struct Launchers {
  Prepare ordered = nullptr;
  static Launchers on_device();
};

}  // namespace tilestride::litmus
