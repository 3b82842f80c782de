// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Facts about the CUDA device and its kernels. No CUDA type here.

#include "portable/native.hpp"

namespace tilestride::cuda {

/// Events on the stream of `exec`, a Kokkos::Cuda.
Clock event_clock(void const* exec);

/// DeviceInterface::kernels.
std::vector<KernelUse> describe_kernels(void const* exec, std::function<void()> const& run);

}  // namespace tilestride::cuda
