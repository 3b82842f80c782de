// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "patterns/common/transport.hpp"

namespace tilestride::cuda {

// NCCL is opened at the first use, so that a program runs where it is missing.

/// Messages by ncclSend and ncclRecv on the stream of a Kokkos::Cuda instance; skipped in the words of the loader or of
/// the library. Collective. The ranks of a process keep one communicator as long as it lives.
Transport by_nccl(void const* exec, Ranks& ranks);

}  // namespace tilestride::cuda
