// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// cuBLAS, as the tables of launchers name it. No CUDA type here.

#include "patterns/aat/native.hpp"
#include "patterns/matmul/native.hpp"
#include "patterns/stream/native.hpp"
#include "patterns/transpose/native.hpp"

namespace tilestride::cuda {

NativeKernel gemm(NativeContext const& context, matmul::Arguments const& p);
NativeKernel gemm_3xtf32(NativeContext const& context, matmul::Arguments const& p);
NativeKernel gemm_int8(NativeContext const& context, matmul::Arguments const& p);
NativeKernel gemm_tf32(NativeContext const& context, matmul::Arguments const& p);
NativeKernel gemm_bf16(NativeContext const& context, matmul::Arguments const& p);
NativeKernel gemm_with_itself(NativeContext const& context, aat::Arguments const& p);
NativeKernel geam(NativeContext const& context, transpose::Arguments const& p);
NativeKernel dot(NativeContext const& context, stream::Arguments const& p);

}  // namespace tilestride::cuda
