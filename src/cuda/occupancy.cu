// SPDX-License-Identifier: BSD-3-Clause
// Live values in every thread (patterns/occupancy/occupancy.hpp) with as many registers as the compiler likes, with a
// number of them, and with shared memory to spill into.
#include <fmt/format.h>

#include "cuda/instance.hpp"
#include "cuda/native.hpp"
#include "harness/choices.hpp"

namespace tilestride::cuda {
namespace {

constexpr int few_registers = 32;  ///< of a thread: all 2048 threads of a multiprocessor are then resident

template <class T>
struct Arguments {
  T const* in;
  T* out;
  int steps;
  T scale, add;
};

template <int Live, class T>
__device__ __forceinline__ void sum_live_values(Arguments<T> const& p) {
  int const item = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  T x[Live];
#pragma unroll
  for (int i = 0; i < Live; ++i) x[i] = p.in[item] + static_cast<T>(i);
  for (int s = 0; s < p.steps; ++s) {
#pragma unroll
    for (int i = 0; i < Live; ++i) x[i] = fma(x[i], p.scale, p.add);
  }
  T sum = 0;
#pragma unroll
  for (int i = 0; i < Live; ++i) sum += x[i];
  p.out[item] = sum;
}

template <int Live, class T>
__global__ void unrolled(Arguments<T> p) {
  sum_live_values<Live>(p);
}

template <int Live, class T>
__global__ void __maxnreg__(few_registers) maxnreg(Arguments<T> p) {
  sum_live_values<Live>(p);
}

/// The compiler gives every thread of the bounds its share of the shared memory that leaves as many blocks resident as
/// the bounds promise, and spills the rest to local memory. No more than 32 blocks can be promised.
template <int Live, int Team, class T>
__global__ void __launch_bounds__(Team < 64 ? 64 : Team, 2048 / (Team < 64 ? 64 : Team)) shared_spill(Arguments<T> p) {
  asm volatile(".pragma \"enable_smem_spilling\";");
  sum_live_values<Live>(p);
}

template <class T>
using Kernel = void (*)(Arguments<T>);

struct AnyRegisters {
  template <int Live, class T>
  static Kernel<T> kernel(int) {
    return unrolled<Live, T>;
  }
};
struct FewRegisters {
  template <int Live, class T>
  static Kernel<T> kernel(int) {
    return maxnreg<Live, T>;
  }
};
struct FewRegistersAndSharedMemory {
  template <int Live, class T>
  static Kernel<T> kernel(int team) {
    return with_int(TeamSizes{}, team, [](auto t) -> Kernel<T> { return shared_spill<Live, decltype(t)::value, T>; });
  }
};

template <class Family, class T>
NativeKernel launcher(NativeContext const& context, OccupancyArguments const& p) {
  int const team = static_cast<int>(context.planned->integer("team"));
  Kernel<T> const kernel = with_int(LiveCounts{}, p.live,
                                    [&](auto live) { return Family::template kernel<decltype(live)::value, T>(team); });
  cudaFuncAttributes attributes{};
  check(cudaFuncGetAttributes(&attributes, kernel), "cudaFuncGetAttributes");
  if (team > attributes.maxThreadsPerBlock)
    return none(fmt::format("a team of {} threads needs more registers than there are; the largest has {}", team,
                            attributes.maxThreadsPerBlock));
  Arguments<T> const arguments{static_cast<T const*>(p.in), static_cast<T*>(p.out), p.steps, static_cast<T>(p.scale),
                               static_cast<T>(p.add)};
  cudaStream_t const stream = stream_of(context.exec);
  NativeKernel native;
  native.run = [=, blocks = static_cast<unsigned>(p.items / team)] {
    kernel<<<blocks, static_cast<unsigned>(team), 0, stream>>>(arguments);
    check(cudaGetLastError(), "launch of live values");
  };
  return native;
}

template <class Family>
NativeKernel launcher_for_type(NativeContext const& context, OccupancyArguments const& p) {
  return with_type<float, double>(
      context.type, [&](auto type) { return launcher<Family, typename decltype(type)::type>(context, p); });
}

}  // namespace

NativeKernel occupancy_unrolled(NativeContext const& context, OccupancyArguments const& p) {
  return launcher_for_type<AnyRegisters>(context, p);
}

NativeKernel occupancy_maxnreg(NativeContext const& context, OccupancyArguments const& p) {
  return launcher_for_type<FewRegisters>(context, p);
}

NativeKernel occupancy_shared_spill(NativeContext const& context, OccupancyArguments const& p) {
  return launcher_for_type<FewRegistersAndSharedMemory>(context, p);
}

}  // namespace tilestride::cuda
