// SPDX-License-Identifier: BSD-3-Clause
// Words in shared memory, accessed by the lanes of a warp at addresses that may share banks. The words of a lane are
// 128 bytes apart: 16 of them are 16 instructions with one address register, and meet the banks as the first does.
#include "cuda/cycles.hpp"
#include "cuda/instance.hpp"
#include "patterns/bank_stride/native.hpp"

namespace tilestride::bank_stride {
namespace {

using namespace cuda;

extern __shared__ __align__(step_bytes) unsigned char shared[];

using Byte = unsigned char;
using Half = unsigned short;

template <class Word>
__device__ unsigned first_of(Word word) {
  return word;
}
__device__ unsigned first_of(uint2 word) { return word.x; }
__device__ unsigned first_of(uint4 word) { return word.x; }

template <class Word>
__device__ unsigned rest_of(Word) {
  return 0;
}
__device__ unsigned rest_of(uint2 word) { return word.y; }
__device__ unsigned rest_of(uint4 word) { return word.y + word.z + word.w; }

template <class Word>
__device__ void store(Word* at, unsigned value) {
  *at = static_cast<Word>(value);
}
__device__ void store(uint2* at, unsigned value) { *at = make_uint2(value, value + stored_per_element); }
__device__ void store(uint4* at, unsigned value) {
  *at = make_uint4(value, value + stored_per_element, value + 2 * stored_per_element, value + 3 * stored_per_element);
}

/// In the words that shared memory is accessed in.
template <class Word>
__device__ void copy(void* to, void const* from, int bytes) {
  for (int i = threadIdx.x; i < bytes / int(sizeof(Word)); i += blockDim.x)
    static_cast<Word*>(to)[i] = static_cast<Word const*>(from)[i];
}

template <class Word>
__global__ void __launch_bounds__(1024) loads(Arguments p, std::int64_t* cycles) {
  copy<Word>(shared, p.image, p.bytes);
  if (p.second != nullptr) copy<Word>(shared, p.second, p.bytes);
  unsigned char const* at = shared + p.offsets[threadIdx.x % 32];
  unsigned sum = 0;
  __syncthreads();
  std::int64_t const begin = clock64();
  for (int round = 0; round < p.repeat; ++round, at += p.advance) {
#pragma unroll
    for (int step = 0; step < steps; ++step) {
      Word const word = *reinterpret_cast<Word const*>(at + step * step_bytes);
      sum += first_of(word) + rest_of(word);
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) *cycles = clock64() - begin;
  p.out[threadIdx.x] = sum;
}

/// Each word holds 1, by which the address then is one byte further, and the next load's constant offset one byte back.
template <class Word>
__global__ void __launch_bounds__(1024) chain(Arguments p, std::int64_t* cycles) {
  copy<Word>(shared, p.image, p.bytes);
  if (p.second != nullptr) copy<Word>(shared, p.second, p.bytes);
  unsigned char const* const start = shared + p.offsets[threadIdx.x % 32];
  unsigned char const* at = start;
  unsigned sum = 0;
  __syncthreads();
  std::int64_t const begin = clock64();
  for (int round = 0; round < p.repeat; ++round) {
#pragma unroll
    for (int step = 0; step < steps; ++step) {
      Word const word = *reinterpret_cast<Word const*>(at - step);
      at += first_of(word);
      sum += rest_of(word);
    }
    sum += static_cast<unsigned>(at - start);
    at -= steps;
  }
  __syncthreads();
  if (threadIdx.x == 0) *cycles = clock64() - begin;
  p.out[threadIdx.x] = sum;
}

template <class Word>
__global__ void __launch_bounds__(1024) stores(Arguments p, std::int64_t* cycles) {
  copy<Word>(p.before, shared, p.bytes);
  int const lane = threadIdx.x % 32;
  unsigned char* at = shared + p.offsets[lane];
  unsigned value = lane;
  __syncthreads();
  std::int64_t const begin = clock64();
  for (int round = 0; round < p.repeat; ++round, at += p.advance, value += stored_per_round) {
#pragma unroll
    for (int step = 0; step < steps; ++step)
      store(reinterpret_cast<Word*>(at + step * step_bytes), value + stored_per_step * step);
  }
  __syncthreads();
  if (threadIdx.x == 0) *cycles = clock64() - begin;
  copy<Word>(p.after, shared, p.bytes);
}

/// The three arrays in one block of dynamic shared memory, split by hand.
class OneBlock {
 public:
  __device__ OneBlock() : block_(shared) {}
  __device__ short* s() const { return reinterpret_cast<short*>(block_); }
  __device__ float* f() const { return reinterpret_cast<float*>(block_ + begin_f); }
  __device__ int* i() const { return reinterpret_cast<int*>(block_ + begin_i); }
  __device__ void advance(int bytes) { block_ += bytes; }

 private:
  unsigned char* block_;
};

/// Each declared by itself, in static shared memory.
class Declared {
 public:
  __device__ Declared() {
    constexpr int most = 1 + probe_of_arrays;
    __shared__ short s[most * shorts];
    __shared__ float f[most * floats];
    __shared__ int i[most * ints];
    s_ = s, f_ = f, i_ = i;
  }
  __device__ short* s() const { return s_; }
  __device__ float* f() const { return f_; }
  __device__ int* i() const { return i_; }
  __device__ void advance(int bytes) {
    int const times = bytes / arrays_bytes;
    s_ += times * shorts, f_ += times * floats, i_ += times * ints;
  }

 private:
  short* s_;
  float* f_;
  int* i_;
};

/// From a buffer that has them one behind the other, as often as it does, and to one.
template <class Arrays>
__device__ void fill(Arrays at, void const* from, int bytes) {
  for (int begin = 0; begin < bytes; begin += arrays_bytes, at.advance(arrays_bytes)) {
    auto const* const f = static_cast<unsigned char const*>(from) + begin;
    copy<short>(at.s(), f, 2 * shorts);
    copy<float>(at.f(), f + begin_f, 4 * floats);
    copy<int>(at.i(), f + begin_i, 4 * ints);
  }
}
template <class Arrays>
__device__ void empty(Arrays at, void* to, int bytes) {
  for (int begin = 0; begin < bytes; begin += arrays_bytes, at.advance(arrays_bytes)) {
    auto* const t = static_cast<unsigned char*>(to) + begin;
    copy<short>(t, at.s(), 2 * shorts);
    copy<float>(t + begin_f, at.f(), 4 * floats);
    copy<int>(t + begin_i, at.i(), 4 * ints);
  }
}

template <class Arrays>
__global__ void __launch_bounds__(1024) loads_of_arrays(Arguments p, std::int64_t* cycles) {
  Arrays at;
  fill(at, p.image, p.bytes);
  if (p.second != nullptr) fill(at, p.second, p.bytes);
  int const lane = threadIdx.x % 32;
  unsigned sum = 0;
  __syncthreads();
  std::int64_t const begin = clock64();
  for (int round = 0; round < p.repeat; ++round, at.advance(p.advance)) {
#pragma unroll
    for (int n = 0; n < shorts; n += 32) sum += at.s()[n + lane];
#pragma unroll
    for (int n = 0; n < floats; n += 32) sum += static_cast<int>(at.f()[n + lane]);
#pragma unroll
    for (int n = 0; n < ints; n += 32) sum += at.i()[n + lane];
  }
  __syncthreads();
  if (threadIdx.x == 0) *cycles = clock64() - begin;
  p.out[threadIdx.x] = sum;
}

template <class Arrays>
__global__ void __launch_bounds__(1024) stores_of_arrays(Arguments p, std::int64_t* cycles) {
  Arrays const first;
  Arrays at = first;
  empty(first, p.before, p.bytes);
  int const lane = threadIdx.x % 32;
  unsigned value = lane;
  __syncthreads();
  std::int64_t const begin = clock64();
  for (int round = 0; round < p.repeat; ++round, at.advance(p.advance), value += stored_per_round) {
    unsigned next = value;
#pragma unroll
    for (int n = 0; n < shorts; n += 32, next += stored_per_step) at.s()[n + lane] = static_cast<short>(next);
#pragma unroll
    for (int n = 0; n < floats; n += 32, next += stored_per_step) at.f()[n + lane] = static_cast<float>(next);
#pragma unroll
    for (int n = 0; n < ints; n += 32, next += stored_per_step) at.i()[n + lane] = static_cast<int>(next);
  }
  __syncthreads();
  if (threadIdx.x == 0) *cycles = clock64() - begin;
  empty(first, p.after, p.bytes);
}

using Kernel = void (*)(Arguments, std::int64_t*);

template <class Word>
Kernel find(Arguments const& p) {
  return p.chained ? chain<Word> : p.store ? stores<Word> : loads<Word>;
}

Kernel find(Arguments const& p) {
  if (p.apart) return p.store ? stores_of_arrays<Declared> : loads_of_arrays<Declared>;
  if (p.partition) return p.store ? stores_of_arrays<OneBlock> : loads_of_arrays<OneBlock>;
  switch (p.word) {
    case 1: return find<Byte>(p);
    case 2: return find<Half>(p);
    case 4: return find<unsigned>(p);
    case 8: return find<uint2>(p);
    default: return find<uint4>(p);
  }
}

NativeKernel launch_shared(NativeContext const& context, Arguments const& p) {
  cudaStream_t const stream = stream_of(context.exec);
  CycleCount const cycles;
  Kernel const kernel = find(p);
  NativeKernel native;
  native.run = [=] {
    kernel<<<1, p.threads, p.apart ? 0 : p.bytes, stream>>>(p, cycles.data());
    check(cudaGetLastError(), "bank_stride");
  };
  native.measure = cycles.per_operation(p.requests);
  return native;
}

}  // namespace

Launchers Launchers::on_device() {
  Launchers table;
  table.shared = launch_shared;
  return table;
}

}  // namespace tilestride::bank_stride
