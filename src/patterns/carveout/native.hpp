// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "portable/native.hpp"

namespace tilestride::carveout {

struct Launchers {
  Prepare hybrid_cache_hungry = nullptr, hybrid_scratch_hungry = nullptr, hybrid_spill_heavy = nullptr,
          native_cache_hungry = nullptr, native_scratch_hungry = nullptr, native_spill_heavy = nullptr,
          native_scratch_of_doubles = nullptr;
  static Launchers on_device();
};

}  // namespace tilestride::carveout
