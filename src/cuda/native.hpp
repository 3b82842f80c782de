// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What src/cuda/ offers to the seam (harness/native.hpp). No CUDA type here.

#include "harness/native.hpp"
#include "patterns/latency/native.hpp"
#include "patterns/matmul/native.hpp"
#include "patterns/occupancy/native.hpp"
#include "patterns/shuffle/native.hpp"
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

NativeKernel latency_global(NativeContext const& context, LatencyArguments const& p);
NativeKernel latency_shared(NativeContext const& context, LatencyArguments const& p);
NativeKernel latency_constant(NativeContext const& context, LatencyArguments const& p);
NativeKernel latency_local(NativeContext const& context, LatencyArguments const& p);
NativeKernel latency_texture(NativeContext const& context, LatencyArguments const& p);

NativeKernel occupancy_unrolled(NativeContext const& context, OccupancyArguments const& p);
NativeKernel occupancy_maxnreg(NativeContext const& context, OccupancyArguments const& p);
NativeKernel occupancy_shared_spill(NativeContext const& context, OccupancyArguments const& p);

NativeKernel shuffle_by_shuffle(NativeContext const& context, ShuffleArguments const& p);
NativeKernel shuffle_through_scratch(NativeContext const& context, ShuffleArguments const& p);

}  // namespace tilestride::cuda
