// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What src/cuda/ knows of the device and of its kernels. No CUDA type here.

#include "portable/native.hpp"

namespace tilestride::cuda {

/// Events on the stream of `exec`, a Kokkos::Cuda.
Clock event_clock(void const* exec);

/// DeviceInterface::kernels.
std::vector<KernelUse> describe_kernels(void const* exec, std::function<void()> const& run);

}  // namespace tilestride::cuda
