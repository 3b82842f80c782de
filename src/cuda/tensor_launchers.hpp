// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Products on matrix units: src/cuda/tensor_*.cu, or src/absent/tensor.cpp for other architectures than 9.0.

#include "patterns/matmul/native.hpp"

namespace tilestride::matmul {

NativeKernel launch_tensor_3xtf32(NativeContext const& context, Arguments const& p);
NativeKernel launch_tensor_bf16(NativeContext const& context, Arguments const& p);
NativeKernel launch_tensor_f64(NativeContext const& context, Arguments const& p);
NativeKernel launch_tensor_tf32(NativeContext const& context, Arguments const& p);

}  // namespace tilestride::matmul
