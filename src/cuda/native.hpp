// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What src/cuda/ offers to the seam (harness/native.hpp). No CUDA type here.

#include "harness/native.hpp"
#include "patterns/aat/native.hpp"
#include "patterns/bank_stride/native.hpp"
#include "patterns/fences/native.hpp"
#include "patterns/latency/native.hpp"
#include "patterns/matmul/native.hpp"
#include "patterns/occupancy/native.hpp"
#include "patterns/offset_copy/native.hpp"
#include "patterns/reduce/native.hpp"
#include "patterns/shuffle/native.hpp"
#include "patterns/staged_copy/native.hpp"
#include "patterns/stencil/native.hpp"
#include "patterns/stream/native.hpp"
#include "patterns/stride_copy/native.hpp"
#include "patterns/tile_access/native.hpp"
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

NativeKernel aat_simple(NativeContext const& context, AatArguments const& p);
NativeKernel aat_row_tile(NativeContext const& context, AatArguments const& p);
NativeKernel aat_coalesced(NativeContext const& context, AatArguments const& p);
NativeKernel aat_padded(NativeContext const& context, AatArguments const& p);
NativeKernel gemm_with_itself(NativeContext const& context, AatArguments const& p);
NativeKernel gemm(NativeContext const& context, MatmulArguments const& p);
NativeKernel gemm_bf16(NativeContext const& context, MatmulArguments const& p);
NativeKernel gemm_tf32(NativeContext const& context, MatmulArguments const& p);
NativeKernel matmul_simple(NativeContext const& context, MatmulArguments const& p);
NativeKernel matmul_coalesced(NativeContext const& context, MatmulArguments const& p);
NativeKernel matmul_shared(NativeContext const& context, MatmulArguments const& p);
NativeKernel matmul_tensor_bf16(NativeContext const& context, MatmulArguments const& p);
NativeKernel matmul_tensor_f64(NativeContext const& context, MatmulArguments const& p);
NativeKernel matmul_tensor_tf32(NativeContext const& context, MatmulArguments const& p);
NativeKernel geam(NativeContext const& context, TransposeArguments const& p);
NativeKernel transpose_copy(NativeContext const& context, TransposeArguments const& p);
NativeKernel transpose_row_read(NativeContext const& context, TransposeArguments const& p);
NativeKernel transpose_row_write(NativeContext const& context, TransposeArguments const& p);
NativeKernel transpose_tiled(NativeContext const& context, TransposeArguments const& p);
NativeKernel transpose_padded(NativeContext const& context, TransposeArguments const& p);
NativeKernel transpose_dynamic(NativeContext const& context, TransposeArguments const& p);
NativeKernel stream(NativeContext const& context, StreamArguments const& p);
NativeKernel dot(NativeContext const& context, StreamArguments const& p);
NativeKernel offset_copy(NativeContext const& context, OffsetCopyArguments const& p);
NativeKernel staged_copy_static(NativeContext const& context, StagedCopyArguments const& p);
NativeKernel staged_copy_dynamic(NativeContext const& context, StagedCopyArguments const& p);
NativeKernel staged_copy_async(NativeContext const& context, StagedCopyArguments const& p);
NativeKernel stride_copy(NativeContext const& context, StrideCopyArguments const& p);

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

NativeKernel reduce_cluster(NativeContext const& context, ReduceArguments const& p);
NativeKernel reduce_cub(NativeContext const& context, ReduceArguments const& p);
NativeKernel reduce_dynamic(NativeContext const& context, ReduceArguments const& p);
NativeKernel reduce_global(NativeContext const& context, ReduceArguments const& p);
NativeKernel reduce_shuffle(NativeContext const& context, ReduceArguments const& p);
NativeKernel reduce_unrolled(NativeContext const& context, ReduceArguments const& p);
NativeKernel static_tile_access(NativeContext const& context, TileAccessArguments const& p);
NativeKernel dynamic_tile_access(NativeContext const& context, TileAccessArguments const& p);
NativeKernel bank_stride(NativeContext const& context, BankStrideArguments const& p);
NativeKernel fences_native(NativeContext const& context, FencesArguments const& p);
Trial litmus_kokkos(Bench& bench, Case const& c);
Trial litmus_native(Bench& bench, Case const& c);

NativeKernel stencil_constant(NativeContext const& context, StencilArguments const& p);
NativeKernel stencil_global(NativeContext const& context, StencilArguments const& p);
NativeKernel stencil_read_only(NativeContext const& context, StencilArguments const& p);
NativeKernel stencil_scratch(NativeContext const& context, StencilArguments const& p);
Trial batch_batched(Bench& bench, Case const& c);
Trial batch_kokkos_many(Bench& bench, Case const& c);
Trial batch_kokkos_packed(Bench& bench, Case const& c);
Trial batch_many(Bench& bench, Case const& c);
Trial batch_packed(Bench& bench, Case const& c);
Trial transfer_kokkos(Bench& bench, Case const& c);
Trial transfer_native(Bench& bench, Case const& c);
Trial transfer_on_device(Bench& bench, Case const& c);
Trial transfer_round_trip(Bench& bench, Case const& c);
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
Trial peer_kokkos(Bench& bench, Case const& c);
Trial peer_native(Bench& bench, Case const& c);
Trial pointer_attributes_native(Bench& bench, Case const& c);
Trial zero_copy_copy_then_compute(Bench& bench, Case const& c);
Trial zero_copy_kokkos_copy(Bench& bench, Case const& c);
Trial zero_copy_kokkos_mapped(Bench& bench, Case const& c);
Trial zero_copy_kokkos_mapped_write(Bench& bench, Case const& c);
Trial zero_copy_kokkos_overlapped(Bench& bench, Case const& c);
Trial zero_copy_mapped(Bench& bench, Case const& c);
Trial zero_copy_mapped_write(Bench& bench, Case const& c);
Trial zero_copy_overlapped(Bench& bench, Case const& c);
Trial zero_copy_uncoalesced(Bench& bench, Case const& c);

}  // namespace tilestride::cuda
