// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What src/cuda/ offers to the seam (harness/native.hpp). No CUDA type here.

#include "harness/native.hpp"
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

Trial carveout(Bench& bench, Case const& c);

Trial l2_window_native(Bench& bench, Case const& c);  ///< none, persisting, tuned
Trial l2_window_kokkos(Bench& bench, Case const& c);  ///< the same with Kokkos kernels
Trial l2_window_graph(Bench& bench, Case const& c);

NativeKernel gemm(NativeContext const& context, MatmulArguments const& p);
NativeKernel geam(NativeContext const& context, TransposeArguments const& p);
NativeKernel dot(NativeContext const& context, StreamArguments const& p);

}  // namespace tilestride::cuda
