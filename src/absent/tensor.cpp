// SPDX-License-Identifier: BSD-3-Clause
// Stands in for src/cuda/tensor_*.cu in a build for another architecture than 9.0, whose assembler has no wgmma.
#include "cuda/native.hpp"

namespace tilestride::cuda {
namespace {
NativeKernel no_tensor() { return none("needs wgmma: built for compute capability 9.0 alone"); }
}  // namespace

NativeKernel matmul_tensor_bf16(NativeContext const&, MatmulArguments const&) { return no_tensor(); }
NativeKernel matmul_tensor_f64(NativeContext const&, MatmulArguments const&) { return no_tensor(); }
NativeKernel matmul_tensor_tf32(NativeContext const&, MatmulArguments const&) { return no_tensor(); }

}  // namespace tilestride::cuda
