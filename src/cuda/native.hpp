// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What src/cuda/ offers to the seam (harness/native.hpp). No CUDA type here.

#include "harness/native.hpp"
#include "patterns/matmul/native.hpp"
#include "patterns/reduce/native.hpp"
#include "patterns/stencil/native.hpp"
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

NativeKernel gemm(NativeContext const& context, MatmulArguments const& p);
NativeKernel geam(NativeContext const& context, TransposeArguments const& p);
NativeKernel dot(NativeContext const& context, StreamArguments const& p);

NativeKernel reduce_cluster(NativeContext const& context, ReduceArguments const& p);
NativeKernel reduce_cub(NativeContext const& context, ReduceArguments const& p);
NativeKernel reduce_dynamic(NativeContext const& context, ReduceArguments const& p);
NativeKernel reduce_global(NativeContext const& context, ReduceArguments const& p);
NativeKernel reduce_shuffle(NativeContext const& context, ReduceArguments const& p);
NativeKernel reduce_unrolled(NativeContext const& context, ReduceArguments const& p);

NativeKernel stencil_constant(NativeContext const& context, StencilArguments const& p);
NativeKernel stencil_global(NativeContext const& context, StencilArguments const& p);
NativeKernel stencil_read_only(NativeContext const& context, StencilArguments const& p);
NativeKernel stencil_scratch(NativeContext const& context, StencilArguments const& p);

}  // namespace tilestride::cuda
