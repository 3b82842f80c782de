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

NativeKernel gemm(NativeContext const& context, MatmulArguments const& p);
NativeKernel geam(NativeContext const& context, TransposeArguments const& p);
NativeKernel dot(NativeContext const& context, StreamArguments const& p);

Trial overlap_default_stream(Bench& bench, Case const& c);
Trial overlap_host_work(Bench& bench, Case const& c);
Trial overlap_kokkos_partition(Bench& bench, Case const& c);
Trial overlap_kokkos_serial(Bench& bench, Case const& c);
Trial overlap_kokkos_staged(Bench& bench, Case const& c);
Trial overlap_kokkos_three_stage(Bench& bench, Case const& c);
Trial overlap_serial(Bench& bench, Case const& c);
Trial overlap_staged(Bench& bench, Case const& c);
Trial overlap_three_stage(Bench& bench, Case const& c);
Trial overlap_two_streams(Bench& bench, Case const& c);

}  // namespace tilestride::cuda
