// SPDX-License-Identifier: BSD-3-Clause
// Barriers, fences and loads that see what others wrote, in raw CUDA, repeated by all threads of one block.
// __threadfence_block(), __threadfence() and __threadfence_system() are fences for every order (sequential
// consistency); libcu++ has weaker ones too.
#include <fmt/format.h>

#include <cuda/atomic>

#include "cuda/cycles.hpp"
#include "cuda/instance.hpp"
#include "patterns/fences/native.hpp"
#include "patterns/fences/recurrence.hpp"

namespace tilestride::fences {
namespace {

using namespace cuda;

using Word = std::int32_t;
using AtomicRef = ::cuda::atomic_ref<Word, ::cuda::thread_scope_device>;

struct Nothing {
  static __device__ Word apply(Word*) { return 0; }
};
struct TeamBarrier {
  static __device__ Word apply(Word*) {
    __syncthreads();
    return 0;
  }
};
struct WarpBarrier {
  static __device__ Word apply(Word*) {
    __syncwarp();
    return 0;
  }
};
struct FenceBlock {
  static __device__ Word apply(Word*) {
    __threadfence_block();
    return 0;
  }
};
struct FenceDevice {
  static __device__ Word apply(Word*) {
    __threadfence();
    return 0;
  }
};
struct FenceSystem {
  static __device__ Word apply(Word*) {
    __threadfence_system();
    return 0;
  }
};
template <::cuda::std::memory_order order>
struct Fence {
  static __device__ Word apply(Word*) {
    ::cuda::atomic_thread_fence(order, ::cuda::thread_scope_device);
    return 0;
  }
};
struct PlainLoad {
  static __device__ Word apply(Word* word) { return *word; }
};
struct VolatileLoad {
  static __device__ Word apply(Word* word) { return *static_cast<Word volatile*>(word); }
};
struct AtomicLoad {
  static __device__ Word apply(Word* word) { return AtomicRef(*word).load(::cuda::std::memory_order_relaxed); }
};
struct AcquireLoad {
  static __device__ Word apply(Word* word) { return AtomicRef(*word).load(::cuda::std::memory_order_acquire); }
};

template <class Op, bool Stores>
__global__ void loop(Word* zeros, Word* stored, Word* out, std::int64_t* cycles) {
  int const thread = static_cast<int>(threadIdx.x);
  Word volatile* const mine = stored + thread;
  Word x = thread, y = 0;
  std::int64_t const begin = clock64();
  for (int step = 0; step < steps; ++step) {
    x = next(x, y);
    if (Stores) *mine = x;
    y = Op::apply(zeros + y);
  }
  std::int64_t const end = clock64();
  out[thread] = x;
  if (thread == 0) *cycles = end - begin;
}

using Kernel = void (*)(Word*, Word*, Word*, std::int64_t*);

template <class Op>
Kernel kernel_of(bool stores) {
  return stores ? loop<Op, true> : loop<Op, false>;
}

Kernel find_kernel(std::string const& op, bool stores) {
  if (op == "team_barrier") return kernel_of<TeamBarrier>(stores);
  if (op == "syncwarp") return kernel_of<WarpBarrier>(stores);
  if (op == "fence_block") return kernel_of<FenceBlock>(stores);
  if (op == "fence_device") return kernel_of<FenceDevice>(stores);
  if (op == "fence_system") return kernel_of<FenceSystem>(stores);
  if (op == "fence_load") return kernel_of<Fence<::cuda::std::memory_order_acquire>>(stores);
  if (op == "fence_store") return kernel_of<Fence<::cuda::std::memory_order_release>>(stores);
  if (op == "plain_load") return kernel_of<PlainLoad>(stores);
  if (op == "volatile_load") return kernel_of<VolatileLoad>(stores);
  if (op == "atomic_load") return kernel_of<AtomicLoad>(stores);
  if (op == "acquire_load") return kernel_of<AcquireLoad>(stores);
  return kernel_of<Nothing>(stores);
}

NativeKernel launch_loop(NativeContext const& context, Arguments const& p) {
  int const largest = attribute_of(context.exec, cudaDevAttrMaxThreadsPerBlock);
  if (p.threads > largest)
    return no_kernel(SkipReason::limit,
                     fmt::format("needs teams of {} threads; the largest has {}", p.threads, largest));
  Kernel const kernel = find_kernel(p.op, p.stores);
  CycleCount const cycles;
  NativeKernel native;
  native.run = [=, stream = stream_of(context.exec), zeros = const_cast<Word*>(p.zeros)] {
    kernel<<<1, p.threads, 0, stream>>>(zeros, p.stored, p.out, cycles.data());
    check(cudaGetLastError(), "launch of fences");
  };
  native.measure = cycles.per_operation(p.steps);
  return native;
}

}  // namespace

Launchers Launchers::on_device() {
  Launchers table;
  table.loop = launch_loop;
  return table;
}

}  // namespace tilestride::fences
