// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "portable/native.hpp"

namespace tilestride {
struct Transport;  // patterns/common/transport.hpp
}

namespace tilestride::exchange {

struct Launchers {
  Prepare ipc = nullptr, ipc_loads = nullptr, ipc_stores = nullptr, peer_copies = nullptr, nccl = nullptr;
  /// The vendor's library as a way for messages from and to this device, for every pattern. Collective.
  Transport (*by_nccl)(void const* exec, Ranks& ranks) = nullptr;
  static Launchers on_device();
};

}  // namespace tilestride::exchange
