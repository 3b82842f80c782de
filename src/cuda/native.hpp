// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What src/cuda/ offers to the seam (harness/native.hpp). No CUDA type here.

#include "harness/native.hpp"
#include "patterns/aat/native.hpp"
#include "patterns/matmul/native.hpp"
#include "patterns/stream/native.hpp"
#include "patterns/transpose/native.hpp"

namespace tilestride::cuda {

/// Events on the stream of `exec`, a Kokkos::Cuda.
Clock event_clock(void const* exec);
Device describe_device();
std::map<std::string, std::string> describe_state();
std::string why_unavailable();
void switch_profiler(bool on);
std::vector<KernelUse> describe_kernels(void const* exec, std::function<void()> const& run);

NativeKernel aat_simple(NativeContext const& context, AatArguments const& p);
NativeKernel aat_row_tile(NativeContext const& context, AatArguments const& p);
NativeKernel aat_coalesced(NativeContext const& context, AatArguments const& p);
NativeKernel aat_padded(NativeContext const& context, AatArguments const& p);
NativeKernel gemm_with_itself(NativeContext const& context, AatArguments const& p);
NativeKernel gemm(NativeContext const& context, MatmulArguments const& p);
NativeKernel matmul_simple(NativeContext const& context, MatmulArguments const& p);
NativeKernel matmul_coalesced(NativeContext const& context, MatmulArguments const& p);
NativeKernel matmul_shared(NativeContext const& context, MatmulArguments const& p);
NativeKernel geam(NativeContext const& context, TransposeArguments const& p);
NativeKernel transpose_copy(NativeContext const& context, TransposeArguments const& p);
NativeKernel transpose_row_read(NativeContext const& context, TransposeArguments const& p);
NativeKernel transpose_row_write(NativeContext const& context, TransposeArguments const& p);
NativeKernel transpose_tiled(NativeContext const& context, TransposeArguments const& p);
NativeKernel transpose_padded(NativeContext const& context, TransposeArguments const& p);
NativeKernel transpose_dynamic(NativeContext const& context, TransposeArguments const& p);
NativeKernel dot(NativeContext const& context, StreamArguments const& p);

}  // namespace tilestride::cuda
