// SPDX-License-Identifier: BSD-3-Clause
// Exchanges between the lanes of one warp (patterns/shuffle/exchange.hpp): by shuffles, the same through shared memory,
// and CUB's.
#include <cub/util_ptx.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>
#include <type_traits>

#include "cuda/cub.hpp"
#include "cuda/cycles.hpp"
#include "cuda/instance.hpp"
#include "patterns/shuffle/exchange.hpp"
#include "patterns/shuffle/native.hpp"
#include "patterns/shuffle/own_value.hpp"
#include "portable/dispatch.hpp"

namespace tilestride::shuffle {
namespace {

using namespace cuda;

constexpr int warp_lanes = 32;
constexpr unsigned all_lanes = 0xffffffff;

/// The hardware's instructions, within groups of Width lanes.
template <class T, int Width>
struct ByShuffle {
  __device__ T from_rank(T x, int rank) const { return __shfl_sync(all_lanes, x, rank, Width); }  // rank mod Width
  __device__ T from_below(T x, int distance) const { return __shfl_up_sync(all_lanes, x, distance, Width); }
  __device__ T from_above(T x, int distance) const { return __shfl_down_sync(all_lanes, x, distance, Width); }
  __device__ T from_across(T x, int mask) const { return __shfl_xor_sync(all_lanes, x, mask, Width); }
};

/// The same through shared memory. Two buffers in turn: before a lane writes one, the barrier of the exchange in
/// between has shown that all have read what it held.
template <class T, int Width>
struct ThroughScratch {
  T* turn;    ///< the buffer that the next exchange uses
  T* other;   ///< and the one after it
  int first;  ///< lane of the group
  int rank;

  __device__ T from_rank(T x, int source) {
    turn[first + rank] = x;
    __syncwarp();
    T const y = turn[first + source % Width];
    T* const used = turn;
    turn = other;
    other = used;
    return y;
  }
  __device__ T from_below(T x, int distance) { return from_rank(x, rank >= distance ? rank - distance : rank); }
  __device__ T from_above(T x, int distance) { return from_rank(x, rank + distance < Width ? rank + distance : rank); }
  __device__ T from_across(T x, int mask) { return from_rank(x, rank ^ mask); }
};

struct Broadcast {
  template <int Width, class T, class Way>
  static __device__ T exchange(Way& way, T x, int) {
    return way.from_rank(x, 0);
  }
};
struct Up {
  template <int Width, class T, class Way>
  static __device__ T exchange(Way& way, T x, int) {
    return way.from_below(x, 1);
  }
};
struct Down {
  template <int Width, class T, class Way>
  static __device__ T exchange(Way& way, T x, int) {
    return way.from_above(x, 1);
  }
};
struct Rotate {
  template <int Width, class T, class Way>
  static __device__ T exchange(Way& way, T x, int rank) {
    return way.from_rank(x, rank + 1);
  }
};
struct Xor {
  template <int Width, class T, class Way>
  static __device__ T exchange(Way& way, T x, int) {
    return way.from_across(x, Width / 2);
  }
};
struct Reduce {  ///< a butterfly: all lanes have the sum
  template <int Width, class T, class Way>
  static __device__ T exchange(Way& way, T x, int) {
#pragma unroll
    for (int mask = Width / 2; mask > 0; mask /= 2) x += way.from_across(x, mask);
    return x;
  }
};
struct Scan {  ///< inclusive, after Hillis and Steele
  template <int Width, class T, class Way>
  static __device__ T exchange(Way& way, T x, int rank) {
#pragma unroll
    for (int distance = 1; distance < Width; distance *= 2) {
      T const below = way.from_below(x, distance);
      if (rank >= distance) x += below;
    }
    return x;
  }
};

/// What CUB has of these, within logical warps of Width lanes: all but xor. Width is a power of two, for which its
/// collectives store nothing: no barrier is needed before their storage is used again.
template <class Op>
struct ByCub {
  template <int Width, class T>
  static __device__ T exchange(ByCub, T x, int rank) {
    if constexpr (std::is_same_v<Op, Broadcast>) return cub::ShuffleIndex<Width>(x, 0, all_lanes);
    if constexpr (std::is_same_v<Op, Up>) return cub::ShuffleUp<Width>(x, 1, 0, all_lanes);
    if constexpr (std::is_same_v<Op, Down>) return cub::ShuffleDown<Width>(x, 1, Width - 1, all_lanes);
    if constexpr (std::is_same_v<Op, Rotate>) return cub::ShuffleIndex<Width>(x, (rank + 1) % Width, all_lanes);
    if constexpr (std::is_same_v<Op, Reduce>) {
      using Group = cub::WarpReduce<T, Width>;
      __shared__ typename Group::TempStorage storage[warp_lanes / Width];
      x = Group(storage[threadIdx.x / Width]).Sum(x);  // known to the group's first lane alone
      return cub::ShuffleIndex<Width>(x, 0, all_lanes);
    }
    if constexpr (std::is_same_v<Op, Scan>) {
      using Group = cub::WarpScan<T, Width>;
      __shared__ typename Group::TempStorage storage[warp_lanes / Width];
      Group(storage[threadIdx.x / Width]).InclusiveSum(x, x);
      return x;
    }
  }
};

/// `keep` and `own` are not known at compile time, so that every step waits for the last.
template <class Op, int Width, class T, class Way>
__device__ void exchange_again_and_again(Way way, int steps, bool all_keep, T* out, std::int64_t* cycles) {
  int const lane = static_cast<int>(threadIdx.x);
  int const rank = lane % Width;
  T const keep = all_keep || rank == Width - 1 ? T(1) : T(0);
  T const own = own_value<T, warp_lanes>(lane);
  T y = 0;
  std::int64_t const begin = clock64();
  for (int step = 0; step < steps; ++step) y = Op::template exchange<Width>(way, keep * y + own, rank);
  std::int64_t const end = clock64();
  out[lane] = y;
  if (lane == 0) *cycles = end - begin;
}

template <class Op, int Width, class T>
__global__ void by_shuffle(int steps, bool all_keep, T* out, std::int64_t* cycles) {
  exchange_again_and_again<Op, Width>(ByShuffle<T, Width>{}, steps, all_keep, out, cycles);
}

template <class Op, int Width, class T>
__global__ void through_scratch(int steps, bool all_keep, T* out, std::int64_t* cycles) {
  __shared__ T words[2][warp_lanes];
  int const lane = static_cast<int>(threadIdx.x);
  ThroughScratch<T, Width> const way{words[0], words[1], lane / Width * Width, lane % Width};
  exchange_again_and_again<Op, Width>(way, steps, all_keep, out, cycles);
}

template <class Op, int Width, class T>
__global__ void by_cub(int steps, bool all_keep, T* out, std::int64_t* cycles) {
  exchange_again_and_again<ByCub<Op>, Width>(ByCub<Op>{}, steps, all_keep, out, cycles);
}

template <class T>
using Kernel = void (*)(int, bool, T*, std::int64_t*);

/// body(Tag<Op>) for the op of that name.
template <class Body>
auto with_op(std::string const& op, Body const& body) {
  if (op == "broadcast") return body(Tag<Broadcast>{});
  if (op == "up") return body(Tag<Up>{});
  if (op == "down") return body(Tag<Down>{});
  if (op == "rotate") return body(Tag<Rotate>{});
  if (op == "xor") return body(Tag<Xor>{});
  if (op == "reduce") return body(Tag<Reduce>{});
  return body(Tag<Scan>{});
}

/// choose(type, op, width): the kernel for all three, or null where CUB has none.
template <class Choose>
NativeKernel launcher(NativeContext const& context, Arguments const& p, Choose const& choose) {
  return with_type<float, double, std::int32_t>(context.type, [&](auto type) {
    using T = typename decltype(type)::type;
    Kernel<T> const kernel = with_op(p.op, [&](auto op) {
      return with_int(Widths{}, p.width, [&](auto width) -> Kernel<T> { return choose(type, op, width); });
    });
    if (kernel == nullptr) return no_kernel(SkipReason::not_in_library, "CUB has no shuffle by " + p.op);
    CycleCount const cycles;
    NativeKernel native;
    native.run = [=, stream = stream_of(context.exec), all_keep = all_lanes_keep(p.op), out = static_cast<T*>(p.out),
                  count = p.steps] {
      kernel<<<1, warp_lanes, 0, stream>>>(count, all_keep, out, cycles.data());
      check(cudaGetLastError(), "launch of shuffle");
    };
    native.measure = cycles.per_operation(p.steps);
    return native;
  });
}

NativeKernel launch_by_shuffle(NativeContext const& context, Arguments const& p) {
  return launcher(context, p, [](auto type, auto op, auto width) {
    return by_shuffle<typename decltype(op)::type, decltype(width)::value, typename decltype(type)::type>;
  });
}

NativeKernel launch_through_scratch(NativeContext const& context, Arguments const& p) {
  return launcher(context, p, [](auto type, auto op, auto width) {
    return through_scratch<typename decltype(op)::type, decltype(width)::value, typename decltype(type)::type>;
  });
}

NativeKernel launch_vendor(NativeContext const& context, Arguments const& p) {
  NativeKernel native = launcher(context, p, [](auto type, auto op, auto width) {
    using Op = typename decltype(op)::type;
    if constexpr (std::is_same_v<Op, Xor>)
      return nullptr;
    else
      return by_cub<Op, decltype(width)::value, typename decltype(type)::type>;
  });
  native.notes["library"] = name_of_cub();
  return native;
}

}  // namespace

Launchers Launchers::on_device() {
  Launchers table;
  table.by_shuffle = launch_by_shuffle;
  table.through_scratch = launch_through_scratch;
  table.vendor = launch_vendor;
  return table;
}

}  // namespace tilestride::shuffle
