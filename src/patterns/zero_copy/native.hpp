// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "portable/native.hpp"

namespace tilestride::zero_copy {

struct Launchers {
  Prepare mapped = nullptr, kept = nullptr, mapped_write = nullptr, uncoalesced = nullptr, copy_then_compute = nullptr,
          overlapped = nullptr;
  std::map<std::string, std::string> (*notes)(void const* exec) = nullptr;  ///< on the device, for every variant
  static Launchers on_device();
};

}  // namespace tilestride::zero_copy
