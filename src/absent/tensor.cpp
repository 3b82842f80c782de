// SPDX-License-Identifier: BSD-3-Clause
// Stands in for src/cuda/tensor_*.cu in a build for another architecture than 9.0, whose assembler has no wgmma.
#include "cuda/tensor_launchers.hpp"

namespace tilestride::matmul {
namespace {
NativeKernel no_tensor() {
  return no_kernel(SkipReason::not_built, "needs wgmma: built for compute capability 9.0 alone");
}
}  // namespace

NativeKernel launch_tensor_3xtf32(NativeContext const&, Arguments const&) { return no_tensor(); }
NativeKernel launch_tensor_bf16(NativeContext const&, Arguments const&) { return no_tensor(); }
NativeKernel launch_tensor_f64(NativeContext const&, Arguments const&) { return no_tensor(); }
NativeKernel launch_tensor_tf32(NativeContext const&, Arguments const&) { return no_tensor(); }

}  // namespace tilestride::matmul
