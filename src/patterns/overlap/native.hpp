// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "portable/native.hpp"

namespace tilestride::overlap {

/// What the copies of all elements, both ways, work on.
struct Arguments {
  void const* from;    ///< of the host
  void* in;            ///< of the device
  void const* out;     ///< of the device
  void* to;            ///< of the host
  std::int64_t bytes;  ///< of each
};

struct Launchers {
  Prepare serial = nullptr, staged = nullptr, three_stage = nullptr, host_work = nullptr, two_streams = nullptr,
          blocking = nullptr, default_stream = nullptr, hybrid_three_stage = nullptr;
  Launcher<Arguments> both_ways = nullptr;  ///< both copies at once; the instance waits for both
  std::map<std::string, std::string> (*notes)(void const* exec) = nullptr;  ///< on the device, for every variant
  static Launchers on_device();
};

}  // namespace tilestride::overlap
