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
      {"latency/native_constant", any(cuda::latency_constant)},
      {"latency/native_global", any(cuda::latency_global)},
      {"latency/native_local", any(cuda::latency_local)},
      {"latency/native_shared", any(cuda::latency_shared)},
      {"latency/native_texture", any(cuda::latency_texture)},
      {"matmul/vendor", any(cuda::gemm)},
      {"occupancy/native_maxnreg", any(cuda::occupancy_maxnreg)},
      {"occupancy/native_shared_spill", any(cuda::occupancy_shared_spill)},
      {"occupancy/native_unrolled", any(cuda::occupancy_unrolled)},
      {"shuffle/native_scratch", any(cuda::shuffle_through_scratch)},
      {"shuffle/native_shuffle", any(cuda::shuffle_by_shuffle)},
      {"stream/vendor", any(cuda::dot)},
      {"transpose/vendor", any(cuda::geam)},
  };
  for (Row const& row : rows) {
    if (row.name == name) return row.function;
  }
  return nullptr;
}

}  // namespace tilestride
