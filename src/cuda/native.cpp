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
      {"matmul/vendor", any(cuda::gemm)},
      {"reduce/native_cluster", any(cuda::reduce_cluster)},
      {"reduce/native_dynamic", any(cuda::reduce_dynamic)},
      {"reduce/native_global", any(cuda::reduce_global)},
      {"reduce/native_shuffle", any(cuda::reduce_shuffle)},
      {"reduce/native_unrolled", any(cuda::reduce_unrolled)},
      {"reduce/vendor", any(cuda::reduce_cub)},
      {"stencil/native_constant", any(cuda::stencil_constant)},
      {"stencil/native_global", any(cuda::stencil_global)},
      {"stencil/native_read_only", any(cuda::stencil_read_only)},
      {"stencil/native_scratch", any(cuda::stencil_scratch)},
      {"stream/vendor", any(cuda::dot)},
      {"transpose/vendor", any(cuda::geam)},
  };
  for (Row const& row : rows) {
    if (row.name == name) return row.function;
  }
  return nullptr;
}

}  // namespace tilestride
