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
      {"carveout/cache_hungry", any<MakeTrial>(cuda::carveout)},
      {"carveout/kokkos_cache_hungry", any<MakeTrial>(cuda::carveout)},
      {"carveout/kokkos_scratch_hungry", any<MakeTrial>(cuda::carveout)},
      {"carveout/kokkos_spill_heavy", any<MakeTrial>(cuda::carveout)},
      {"carveout/scratch_hungry", any<MakeTrial>(cuda::carveout)},
      {"carveout/spill_heavy", any<MakeTrial>(cuda::carveout)},
      {"l2_window/graph", any<MakeTrial>(cuda::l2_window_graph)},
      {"l2_window/kokkos_none", any<MakeTrial>(cuda::l2_window_kokkos)},
      {"l2_window/kokkos_persisting", any<MakeTrial>(cuda::l2_window_kokkos)},
      {"l2_window/kokkos_tuned", any<MakeTrial>(cuda::l2_window_kokkos)},
      {"l2_window/none", any<MakeTrial>(cuda::l2_window_native)},
      {"l2_window/persisting", any<MakeTrial>(cuda::l2_window_native)},
      {"l2_window/tuned", any<MakeTrial>(cuda::l2_window_native)},
      {"matmul/vendor", any(cuda::gemm)},
      {"stream/vendor", any(cuda::dot)},
      {"transpose/vendor", any(cuda::geam)},
  };
  for (Row const& row : rows) {
    if (row.name == name) return row.function;
  }
  return nullptr;
}

}  // namespace tilestride
