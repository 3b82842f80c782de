// SPDX-License-Identifier: BSD-3-Clause
// Live values per thread (patterns/occupancy/problem.hpp) with as many registers as the compiler chooses, with a fixed
// number of them, and with shared memory to spill into.
#include <fmt/format.h>

#include "cuda/instance.hpp"
#include "patterns/occupancy/native.hpp"
#include "portable/dispatch.hpp"

namespace tilestride::occupancy {
namespace {

using namespace cuda;

constexpr int few_registers = 32;  ///< of a thread: all 2048 threads of a multiprocessor are then resident

/// What the kernels see.
template <class T>
struct LiveValues {
  T const* in;
  T* out;
  int steps;
  T scale, add;
};

template <int Live, class T>
__device__ __forceinline__ void sum_live_values(LiveValues<T> const& p) {
  int const item = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  T x[Live];
#pragma unroll
  for (int i = 0; i < Live; ++i) x[i] = p.in[item] + static_cast<T>(i);
  for (int s = 0; s < p.steps; s += steps_together) {
#pragma unroll
    for (int t = 0; t < steps_together; ++t) {
#pragma unroll
      for (int i = 0; i < Live; ++i) x[i] = fma(x[i], p.scale, p.add);
    }
  }
  T sum = 0;
#pragma unroll
  for (int i = 0; i < Live; ++i) sum += x[i];
  p.out[item] = sum;
}

template <int Live, class T>
__global__ void unrolled(LiveValues<T> p) {
  sum_live_values<Live>(p);
}

template <int Live, class T>
__global__ void __maxnreg__(few_registers) maxnreg(LiveValues<T> p) {
  sum_live_values<Live>(p);
}

/// The compiler gives every thread of the bounds its share of the shared memory that leaves as many blocks resident as
/// the bounds promise, and spills the rest to local memory. No more than 32 blocks can be promised.
template <int Live, int Team, class T>
__global__ void __launch_bounds__(Team < 64 ? 64 : Team, 2048 / (Team < 64 ? 64 : Team)) shared_spill(LiveValues<T> p) {
  asm volatile(".pragma \"enable_smem_spilling\";");
  sum_live_values<Live>(p);
}

template <class T>
using Kernel = void (*)(LiveValues<T>);

/// choose(type, live): the kernel for both.
template <class Choose>
NativeKernel launcher(NativeContext const& context, Arguments const& p, Choose const& choose) {
  return with_type<float, double>(context.type, [&](auto type) {
    using T = typename decltype(type)::type;
    Kernel<T> const kernel = with_int(LiveCounts{}, p.live, [&](auto live) -> Kernel<T> { return choose(type, live); });
    cudaFuncAttributes attributes{};
    check(cudaFuncGetAttributes(&attributes, kernel), "cudaFuncGetAttributes");
    if (p.team > attributes.maxThreadsPerBlock)
      return no_kernel(SkipReason::limit,
                       fmt::format("a team of {} threads needs more registers than there are; the largest has {}",
                                   p.team, attributes.maxThreadsPerBlock));
    LiveValues<T> const values{static_cast<T const*>(p.in), static_cast<T*>(p.out), p.steps, static_cast<T>(p.scale),
                               static_cast<T>(p.add)};
    NativeKernel native;
    native.run = [kernel, values, stream = stream_of(context.exec), team = static_cast<unsigned>(p.team),
                  blocks = static_cast<unsigned>(p.items / p.team)] {
      kernel<<<blocks, team, 0, stream>>>(values);
      check(cudaGetLastError(), "launch of live values");
    };
    return native;
  });
}

NativeKernel launch_unrolled(NativeContext const& context, Arguments const& p) {
  return launcher(context, p,
                  [](auto type, auto live) { return unrolled<decltype(live)::value, typename decltype(type)::type>; });
}

NativeKernel launch_maxnreg(NativeContext const& context, Arguments const& p) {
  return launcher(context, p,
                  [](auto type, auto live) { return maxnreg<decltype(live)::value, typename decltype(type)::type>; });
}

NativeKernel launch_shared_spill(NativeContext const& context, Arguments const& p) {
  return launcher(context, p, [&](auto type, auto live) {
    using T = typename decltype(type)::type;
    return with_int(TeamSizes{}, p.team, [&](auto team) -> Kernel<T> {
      return shared_spill<decltype(live)::value, decltype(team)::value, T>;
    });
  });
}

}  // namespace

Launchers Launchers::on_device() {
  Launchers table;
  table.unrolled = launch_unrolled;
  table.maxnreg = launch_maxnreg;
  table.shared_spill = launch_shared_spill;
  return table;
}

}  // namespace tilestride::occupancy
