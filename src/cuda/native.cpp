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
      {"bank_stride/native_shared", any(cuda::bank_stride)},
      {"fences/native", any(cuda::fences_native)},
      {"latency/native_constant", any(cuda::latency_constant)},
      {"latency/native_global", any(cuda::latency_global)},
      {"latency/native_local", any(cuda::latency_local)},
      {"latency/native_shared", any(cuda::latency_shared)},
      {"latency/native_texture", any(cuda::latency_texture)},
      {"litmus/kokkos", any<MakeTrial>(cuda::litmus_kokkos)},
      {"litmus/native", any<MakeTrial>(cuda::litmus_native)},
      {"matmul/vendor", any(cuda::gemm)},
      {"occupancy/native_maxnreg", any(cuda::occupancy_maxnreg)},
      {"occupancy/native_shared_spill", any(cuda::occupancy_shared_spill)},
      {"occupancy/native_unrolled", any(cuda::occupancy_unrolled)},
      {"offset_copy/native", any(cuda::offset_copy)},
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
      {"stream/vendor", any(cuda::dot)},
      {"stride_copy/native", any(cuda::stride_copy)},
      {"tile_access/native_dynamic", any(cuda::dynamic_tile_access)},
      {"tile_access/native_static", any(cuda::static_tile_access)},
      {"transpose/native_copy", any(cuda::transpose_copy)},
      {"transpose/native_dynamic", any(cuda::transpose_dynamic)},
      {"transpose/native_padded", any(cuda::transpose_padded)},
      {"transpose/native_row_read", any(cuda::transpose_row_read)},
      {"transpose/native_row_write", any(cuda::transpose_row_write)},
      {"transpose/native_tiled", any(cuda::transpose_tiled)},
      {"transpose/vendor", any(cuda::geam)},
  };
  for (Row const& row : rows) {
    if (row.name == name) return row.function;
  }
  return nullptr;
}

}  // namespace tilestride
