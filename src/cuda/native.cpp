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
      {"stream/vendor", any(cuda::dot)},
      {"transpose/vendor", any(cuda::geam)},
  };
  for (Row const& row : rows) {
    if (row.name == name) return row.function;
  }
  return nullptr;
}

}  // namespace tilestride
