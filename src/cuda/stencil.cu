// SPDX-License-Identifier: BSD-3-Clause
// Stencils in raw CUDA: the twins of src/patterns/stencil/, and coefficients in constant memory.
#include "cuda/instance.hpp"
#include "patterns/stencil/native.hpp"
#include "portable/dispatch.hpp"

namespace tilestride::stencil {
namespace {

using namespace cuda;

constexpr int threads = team_threads;
constexpr int resident = resident_teams(2048);  // of the blocks that a multiprocessor holds
constexpr int widest = 33;                      // the largest radius is 16

template <class T>
__constant__ T constant_coefficients[most_rows * widest];

/// Where a kernel reads from.
template <class T>
struct FromGlobal {
  T const* data;
  __device__ T operator[](std::int64_t i) const { return data[i]; }
};
template <class T>
struct FromReadOnly {
  T const* data;
  __device__ T operator[](std::int64_t i) const { return __ldg(data + i); }
};
template <class T>
struct FromConstant {
  __device__ T operator[](int i) const { return constant_coefficients<T>[i]; }
};

/// Four outputs per thread, a block's width apart, all of the same row of coefficients; at the end of the array one
/// after the other. All is counted from the block's first element.
template <int Radius, class T, class Input, class Coefficients>
__device__ void make_chunk(int count, int distinct, Input in, Coefficients coefficients, T* out) {
  constexpr int width = 2 * Radius + 1;
  int const thread = static_cast<int>(threadIdx.x);
  if (count == chunk) {
    int const row = thread & (distinct - 1);
    T sum[points] = {};
#pragma unroll
    for (int k = 0; k < width; ++k) {
      T const c = coefficients[row * width + k];
#pragma unroll
      for (int p = 0; p < points; ++p) sum[p] += c * in[thread + p * threads + k];
    }
#pragma unroll
    for (int p = 0; p < points; ++p) out[thread + p * threads] = sum[p];
    return;
  }
  // Unrolled it would hold more than there are registers for.
#pragma unroll 1
  for (int i = thread; i < count; i += threads) {
    T sum = 0;
#pragma unroll 1
    for (int k = 0; k < width; ++k) sum += coefficients[(i & (distinct - 1)) * width + k] * in[i + k];
    out[i] = sum;
  }
}

/// The part of the array that a block makes.
struct Chunk {
  std::int64_t first;
  int count;
  __device__ explicit Chunk(std::int64_t n)
      : first(static_cast<std::int64_t>(blockIdx.x) * chunk),
        count(n - first < chunk ? static_cast<int>(n - first) : chunk) {}
};

template <int Radius, class T>
__global__ void __launch_bounds__(threads, resident)
    global_kernel(T const* in, T const* coefficients, T* out, std::int64_t n, int distinct) {
  Chunk const own(n);
  make_chunk<Radius>(own.count, distinct, FromGlobal<T>{in + own.first}, FromGlobal<T>{coefficients}, out + own.first);
}

template <int Radius, class T>
__global__ void __launch_bounds__(threads, resident)
    read_only_kernel(T const* in, T const* coefficients, T* out, std::int64_t n, int distinct) {
  Chunk const own(n);
  make_chunk<Radius>(own.count, distinct, FromReadOnly<T>{in + own.first}, FromReadOnly<T>{coefficients},
                     out + own.first);
}

template <int Radius, class T>
__global__ void __launch_bounds__(threads, resident)
    constant_kernel(T const* in, T const*, T* out, std::int64_t n, int distinct) {
  Chunk const own(n);
  make_chunk<Radius>(own.count, distinct, FromGlobal<T>{in + own.first}, FromConstant<T>{}, out + own.first);
}

template <int Radius, class T>
__global__ void __launch_bounds__(threads, resident)
    scratch_kernel(T const* in, T const* coefficients, T* out, std::int64_t n, int distinct) {
  constexpr int length = chunk + 2 * Radius;
  constexpr int width = 2 * Radius + 1;
  constexpr int rounds = (length + threads - 1) / threads;
  __shared__ T tile[length];
  __shared__ T rows[most_rows * width];
  Chunk const own(n);
  int const thread = static_cast<int>(threadIdx.x);
  for (int e = thread; e < distinct * width; e += threads) rows[e] = coefficients[e];
  int const staged = own.count + 2 * Radius;
  T held[rounds];
#pragma unroll
  for (int r = 0; r < rounds; ++r) {
    if (thread + r * threads < staged) held[r] = in[own.first + thread + r * threads];
  }
#pragma unroll
  for (int r = 0; r < rounds; ++r) {
    if (thread + r * threads < staged) tile[thread + r * threads] = held[r];
  }
  __syncthreads();
  make_chunk<Radius>(own.count, distinct, static_cast<T const*>(tile), static_cast<T const*>(rows), out + own.first);
}

template <class T>
using Kernel = void (*)(T const*, T const*, T*, std::int64_t, int);

template <class T>
NativeKernel launcher(NativeContext const& context, Arguments const& p, Kernel<T> kernel) {
  cudaStream_t const stream = stream_of(context.exec);
  NativeKernel result;
  result.run = [stream, p, kernel] {
    auto const blocks = static_cast<unsigned>((p.n + chunk - 1) / chunk);
    kernel<<<blocks, threads, 0, stream>>>(static_cast<T const*>(p.in), static_cast<T const*>(p.coefficients),
                                           static_cast<T*>(p.out), p.n, p.distinct);
    check(cudaGetLastError(), "stencil");
  };
  return result;
}

/// body(Tag<T>, std::integral_constant<int, Radius>) for the type and the radius of the case.
template <class Body>
NativeKernel with_radius(NativeContext const& context, Arguments const& p, Body const& body) {
  return with_type<float, double>(context.type, [&](auto type) {
    return with_int(Radii{}, p.radius, [&](auto radius) { return body(type, radius); });
  });
}

/// Constant memory holds the coefficients of one problem at a time: those of the problem whose kernels run next.
template <class T>
void upload(NativeContext const& context, Arguments const& p) {
  auto const bytes = sizeof(T) * static_cast<std::size_t>(p.distinct) * static_cast<std::size_t>(2 * p.radius + 1);
  check(cudaMemcpyToSymbolAsync(constant_coefficients<T>, p.coefficients, bytes, 0, cudaMemcpyDeviceToDevice,
                                stream_of(context.exec)),
        "cudaMemcpyToSymbolAsync");
}

NativeKernel launch_global(NativeContext const& context, Arguments const& p) {
  return with_radius(context, p, [&](auto type, auto radius) {
    using T = typename decltype(type)::type;
    return launcher<T>(context, p, global_kernel<decltype(radius)::value, T>);
  });
}

NativeKernel launch_read_only(NativeContext const& context, Arguments const& p) {
  return with_radius(context, p, [&](auto type, auto radius) {
    using T = typename decltype(type)::type;
    return launcher<T>(context, p, read_only_kernel<decltype(radius)::value, T>);
  });
}

NativeKernel launch_scratch(NativeContext const& context, Arguments const& p) {
  return with_radius(context, p, [&](auto type, auto radius) {
    using T = typename decltype(type)::type;
    return launcher<T>(context, p, scratch_kernel<decltype(radius)::value, T>);
  });
}

NativeKernel launch_constant(NativeContext const& context, Arguments const& p) {
  with_type<float, double>(context.type, [&](auto type) { upload<typename decltype(type)::type>(context, p); });
  return with_radius(context, p, [&](auto type, auto radius) {
    using T = typename decltype(type)::type;
    return launcher<T>(context, p, constant_kernel<decltype(radius)::value, T>);
  });
}

}  // namespace

Launchers Launchers::on_device() {
  Launchers table;
  table.global = launch_global;
  table.read_only = launch_read_only;
  table.scratch = launch_scratch;
  table.constant = launch_constant;
  return table;
}

}  // namespace tilestride::stencil
