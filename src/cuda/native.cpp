// SPDX-License-Identifier: BSD-3-Clause
// Everything that is raw CUDA, by name.
#include "cuda/native.hpp"

namespace tilestride {
namespace {

struct Row {
  std::string_view name;
  AnyFunction function;
};

template <class Function>
AnyFunction any(Function* function) {
  return reinterpret_cast<AnyFunction>(function);
}

}  // namespace

AnyFunction find_native(std::string_view space, std::string_view name) {
  if (space != "cuda") return nullptr;
  static Row const rows[] = {
      {"clock", any<MakeClock>(cuda::event_clock)},
      {"device", any<DescribeDevice>(cuda::describe_device)},
      {"state", any<DescribeState>(cuda::describe_state)},
      {"unavailable", any<WhyUnavailable>(cuda::why_unavailable)},
      {"profiler", any<SwitchProfiler>(cuda::switch_profiler)},
      {"kernels", any<DescribeKernels>(cuda::describe_kernels)},
      {"aat/native_coalesced", any(cuda::aat_coalesced)},
      {"aat/native_padded", any(cuda::aat_padded)},
      {"aat/native_row_tile", any(cuda::aat_row_tile)},
      {"aat/native_simple", any(cuda::aat_simple)},
      {"aat/vendor", any(cuda::gemm_with_itself)},
      {"bank_stride/native_shared", any(cuda::bank_stride)},
      {"batch/batched", any<MakeTrial>(cuda::batch_batched)},
      {"batch/kokkos_many", any<MakeTrial>(cuda::batch_kokkos_many)},
      {"batch/kokkos_packed", any<MakeTrial>(cuda::batch_kokkos_packed)},
      {"batch/many", any<MakeTrial>(cuda::batch_many)},
      {"batch/packed", any<MakeTrial>(cuda::batch_packed)},
      {"carveout/cache_hungry", any<MakeTrial>(cuda::carveout)},
      {"carveout/kokkos_cache_hungry", any<MakeTrial>(cuda::carveout)},
      {"carveout/kokkos_scratch_hungry", any<MakeTrial>(cuda::carveout)},
      {"carveout/kokkos_spill_heavy", any<MakeTrial>(cuda::carveout)},
      {"carveout/scratch_hungry", any<MakeTrial>(cuda::carveout)},
      {"carveout/spill_heavy", any<MakeTrial>(cuda::carveout)},
      {"fences/native", any(cuda::fences_native)},
      {"l2_window/graph", any<MakeTrial>(cuda::l2_window_graph)},
      {"l2_window/kokkos_none", any<MakeTrial>(cuda::l2_window_kokkos)},
      {"l2_window/kokkos_persisting", any<MakeTrial>(cuda::l2_window_kokkos)},
      {"l2_window/kokkos_tuned", any<MakeTrial>(cuda::l2_window_kokkos)},
      {"l2_window/none", any<MakeTrial>(cuda::l2_window_native)},
      {"l2_window/persisting", any<MakeTrial>(cuda::l2_window_native)},
      {"l2_window/tuned", any<MakeTrial>(cuda::l2_window_native)},
      {"latency/native_constant", any(cuda::latency_constant)},
      {"latency/native_global", any(cuda::latency_global)},
      {"latency/native_local", any(cuda::latency_local)},
      {"latency/native_shared", any(cuda::latency_shared)},
      {"latency/native_texture", any(cuda::latency_texture)},
      {"litmus/kokkos", any<MakeTrial>(cuda::litmus_kokkos)},
      {"litmus/native", any<MakeTrial>(cuda::litmus_native)},
      {"matmul/native_coalesced", any(cuda::matmul_coalesced)},
      {"matmul/native_shared", any(cuda::matmul_shared)},
      {"matmul/native_simple", any(cuda::matmul_simple)},
      {"matmul/native_tensor", any(cuda::matmul_tensor_f64)},
      {"matmul/native_tensor_bf16", any(cuda::matmul_tensor_bf16)},
      {"matmul/native_tensor_tf32", any(cuda::matmul_tensor_tf32)},
      {"matmul/vendor", any(cuda::gemm)},
      {"matmul/vendor_bf16", any(cuda::gemm_bf16)},
      {"matmul/vendor_tf32", any(cuda::gemm_tf32)},
      {"occupancy/native_maxnreg", any(cuda::occupancy_maxnreg)},
      {"occupancy/native_shared_spill", any(cuda::occupancy_shared_spill)},
      {"occupancy/native_unrolled", any(cuda::occupancy_unrolled)},
      {"offset_copy/native", any(cuda::offset_copy)},
      {"overlap/default_stream", any<MakeTrial>(cuda::overlap_default_stream)},
      {"overlap/host_work", any<MakeTrial>(cuda::overlap_host_work)},
      {"overlap/kokkos_partition", any<MakeTrial>(cuda::overlap_kokkos_partition)},
      {"overlap/kokkos_serial", any<MakeTrial>(cuda::overlap_kokkos_serial)},
      {"overlap/kokkos_staged", any<MakeTrial>(cuda::overlap_kokkos_staged)},
      {"overlap/kokkos_three_stage", any<MakeTrial>(cuda::overlap_kokkos_three_stage)},
      {"overlap/serial", any<MakeTrial>(cuda::overlap_serial)},
      {"overlap/staged", any<MakeTrial>(cuda::overlap_staged)},
      {"overlap/three_stage", any<MakeTrial>(cuda::overlap_three_stage)},
      {"overlap/two_streams", any<MakeTrial>(cuda::overlap_two_streams)},
      {"peer/kokkos", any<MakeTrial>(cuda::peer_kokkos)},
      {"peer/native", any<MakeTrial>(cuda::peer_native)},
      {"pointer_attributes/native", any<MakeTrial>(cuda::pointer_attributes_native)},
      {"reduce/native_cluster", any(cuda::reduce_cluster)},
      {"reduce/native_dynamic", any(cuda::reduce_dynamic)},
      {"reduce/native_global", any(cuda::reduce_global)},
      {"reduce/native_shuffle", any(cuda::reduce_shuffle)},
      {"reduce/native_unrolled", any(cuda::reduce_unrolled)},
      {"reduce/vendor", any(cuda::reduce_cub)},
      {"shuffle/native_scratch", any(cuda::shuffle_through_scratch)},
      {"shuffle/native_shuffle", any(cuda::shuffle_by_shuffle)},
      {"staged_copy/native_async", any(cuda::staged_copy_async)},
      {"staged_copy/native_dynamic", any(cuda::staged_copy_dynamic)},
      {"staged_copy/native_static", any(cuda::staged_copy_static)},
      {"stencil/native_constant", any(cuda::stencil_constant)},
      {"stencil/native_global", any(cuda::stencil_global)},
      {"stencil/native_read_only", any(cuda::stencil_read_only)},
      {"stencil/native_scratch", any(cuda::stencil_scratch)},
      {"stream/native", any(cuda::stream)},
      {"stream/vendor", any(cuda::dot)},
      {"stride_copy/native", any(cuda::stride_copy)},
      {"tile_access/native_dynamic", any(cuda::dynamic_tile_access)},
      {"tile_access/native_static", any(cuda::static_tile_access)},
      {"transfer/kokkos", any<MakeTrial>(cuda::transfer_kokkos)},
      {"transfer/native", any<MakeTrial>(cuda::transfer_native)},
      {"transfer/on_device", any<MakeTrial>(cuda::transfer_on_device)},
      {"transfer/round_trip", any<MakeTrial>(cuda::transfer_round_trip)},
      {"transpose/native_copy", any(cuda::transpose_copy)},
      {"transpose/native_dynamic", any(cuda::transpose_dynamic)},
      {"transpose/native_padded", any(cuda::transpose_padded)},
      {"transpose/native_row_read", any(cuda::transpose_row_read)},
      {"transpose/native_row_write", any(cuda::transpose_row_write)},
      {"transpose/native_tiled", any(cuda::transpose_tiled)},
      {"transpose/vendor", any(cuda::geam)},
      {"zero_copy/copy_then_compute", any<MakeTrial>(cuda::zero_copy_copy_then_compute)},
      {"zero_copy/kokkos_copy", any<MakeTrial>(cuda::zero_copy_kokkos_copy)},
      {"zero_copy/kokkos_mapped", any<MakeTrial>(cuda::zero_copy_kokkos_mapped)},
      {"zero_copy/kokkos_mapped_write", any<MakeTrial>(cuda::zero_copy_kokkos_mapped_write)},
      {"zero_copy/kokkos_overlapped", any<MakeTrial>(cuda::zero_copy_kokkos_overlapped)},
      {"zero_copy/mapped", any<MakeTrial>(cuda::zero_copy_mapped)},
      {"zero_copy/mapped_write", any<MakeTrial>(cuda::zero_copy_mapped_write)},
      {"zero_copy/overlapped", any<MakeTrial>(cuda::zero_copy_overlapped)},
      {"zero_copy/uncoalesced", any<MakeTrial>(cuda::zero_copy_uncoalesced)},
  };
  for (Row const& row : rows) {
    if (row.name == name) return row.function;
  }
  return nullptr;
}

}  // namespace tilestride
