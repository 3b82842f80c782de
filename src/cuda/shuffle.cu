// SPDX-License-Identifier: BSD-3-Clause
// Exchanges between the lanes of one warp (patterns/shuffle/exchange.hpp): by shuffles, and the same through shared
// memory.
#include "cuda/cycle_count.hpp"
#include "cuda/instance.hpp"
#include "cuda/native.hpp"
#include "harness/choices.hpp"
#include "patterns/shuffle/exchange.hpp"
#include "patterns/shuffle/own_value.hpp"

namespace tilestride::cuda {
namespace {

constexpr unsigned all_lanes = 0xffffffff;

/// The hardware's words, within groups of Width lanes.
template <class T, int Width>
struct ByShuffle {
  __device__ T from_rank(T x, int rank) const { return __shfl_sync(all_lanes, x, rank, Width); }  // rank mod Width
  __device__ T from_below(T x, int distance) const { return __shfl_up_sync(all_lanes, x, distance, Width); }
  __device__ T from_above(T x, int distance) const { return __shfl_down_sync(all_lanes, x, distance, Width); }
  __device__ T from_across(T x, int mask) const { return __shfl_xor_sync(all_lanes, x, mask, Width); }
};

/// The same words through shared memory. Two buffers in turn: who writes one knows, from the barrier of the exchange in
/// between, that all have read what it held.
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

/// `keep` and `own` are in registers: the compiler knows neither, so that every step waits for the last.
template <class Op, int Width, class T, class Way>
__device__ void exchange_again_and_again(Way way, int steps, bool all_keep, T* out, std::int64_t* cycles) {
  int const lane = static_cast<int>(threadIdx.x);
  int const rank = lane % Width;
  T const keep = all_keep || rank == Width - 1 ? T(1) : T(0);
  T const own = own_value<T>(lane);
  T y = 0;
  std::int64_t const begin = clock64();
  for (int step = 0; step < steps; ++step) y = Op::template exchange<Width>(way, keep * y + own, rank);
  std::int64_t const end = clock64();
  out[lane] = y;
  if (lane == 0) *cycles = end - begin;
}

template <class Op, int Width, class T>
__global__ void shuffle(int steps, bool all_keep, T* out, std::int64_t* cycles) {
  exchange_again_and_again<Op, Width>(ByShuffle<T, Width>{}, steps, all_keep, out, cycles);
}

template <class Op, int Width, class T>
__global__ void scratch(int steps, bool all_keep, T* out, std::int64_t* cycles) {
  __shared__ T words[2][warp_lanes];
  int const lane = static_cast<int>(threadIdx.x);
  ThroughScratch<T, Width> const way{words[0], words[1], lane / Width * Width, lane % Width};
  exchange_again_and_again<Op, Width>(way, steps, all_keep, out, cycles);
}

template <class T>
using Kernel = void (*)(int, bool, T*, std::int64_t*);

/// Which kernel it is that a way of exchanging has for an op and a width.
struct Shuffles {
  template <class Op, int Width, class T>
  static Kernel<T> kernel() {
    return shuffle<Op, Width, T>;
  }
};
struct Scratches {
  template <class Op, int Width, class T>
  static Kernel<T> kernel() {
    return scratch<Op, Width, T>;
  }
};

template <class Way, class T, class Op>
Kernel<T> kernel_for(int width) {
  return with_int(std::integer_sequence<int, 2, 4, 8, 16, 32>{}, width,
                  [](auto w) { return Way::template kernel<Op, decltype(w)::value, T>(); });
}

template <class Way, class T>
NativeKernel launcher(NativeContext const& context, ShuffleArguments const& p) {
  Kernel<T> const kernel = p.op == "broadcast" ? kernel_for<Way, T, Broadcast>(p.width)
                           : p.op == "up"      ? kernel_for<Way, T, Up>(p.width)
                           : p.op == "down"    ? kernel_for<Way, T, Down>(p.width)
                           : p.op == "rotate"  ? kernel_for<Way, T, Rotate>(p.width)
                           : p.op == "xor"     ? kernel_for<Way, T, Xor>(p.width)
                           : p.op == "reduce"  ? kernel_for<Way, T, Reduce>(p.width)
                                               : kernel_for<Way, T, Scan>(p.width);
  cudaStream_t const stream = stream_of(context.exec);
  NativeKernel native;
  native.run = [=, all_keep = all_lanes_keep(p.op), out = static_cast<T*>(p.out)] {
    kernel<<<1, warp_lanes, 0, stream>>>(p.steps, all_keep, out, p.cycles);
    check(cudaGetLastError(), "launch of shuffle");
  };
  native.measure = cycles_per_operation(p.cycles, p.steps);
  return native;
}

template <class Way>
NativeKernel launcher_for_type(NativeContext const& context, ShuffleArguments const& p) {
  return with_type<float, double, std::int32_t>(
      context.type, [&](auto type) { return launcher<Way, typename decltype(type)::type>(context, p); });
}

}  // namespace

NativeKernel shuffle_by_shuffle(NativeContext const& context, ShuffleArguments const& p) {
  return launcher_for_type<Shuffles>(context, p);
}

NativeKernel shuffle_through_scratch(NativeContext const& context, ShuffleArguments const& p) {
  return launcher_for_type<Scratches>(context, p);
}

}  // namespace tilestride::cuda
