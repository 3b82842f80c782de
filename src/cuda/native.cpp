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
      {"batch/batched", any<MakeTrial>(cuda::batch_batched)},
      {"batch/kokkos_many", any<MakeTrial>(cuda::batch_kokkos_many)},
      {"batch/kokkos_packed", any<MakeTrial>(cuda::batch_kokkos_packed)},
      {"batch/many", any<MakeTrial>(cuda::batch_many)},
      {"batch/packed", any<MakeTrial>(cuda::batch_packed)},
      {"matmul/vendor", any(cuda::gemm)},
      {"stream/vendor", any(cuda::dot)},
      {"transfer/kokkos", any<MakeTrial>(cuda::transfer_kokkos)},
      {"transfer/native", any<MakeTrial>(cuda::transfer_native)},
      {"transfer/on_device", any<MakeTrial>(cuda::transfer_on_device)},
      {"transfer/round_trip", any<MakeTrial>(cuda::transfer_round_trip)},
      {"transpose/vendor", any(cuda::geam)},
  };
  for (Row const& row : rows) {
    if (row.name == name) return row.function;
  }
  return nullptr;
}

}  // namespace tilestride
