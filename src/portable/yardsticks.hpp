// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What the machine can do, as simply as it can be asked: the ceilings that a case is set against, sampled beside it.

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "model/trial.hpp"
#include "portable/spaces.hpp"

namespace tilestride {

/// A deep_copy on an instance of the one device that Kokkos has. In a source of its own (bench.cpp), since deep_copy
/// brings kernels of its own into each.
void device_copy(Kokkos::DefaultExecutionSpace const& exec, void* to, void const* from, std::int64_t bytes);

/// The library's copy of `bytes` from one place of the space's memory to another: on a device what Kokkos calls
/// asynchronously on the instance (cudaMemcpyAsync for CUDA), on a host std::memcpy, one chunk a thread.
template <class Exec>
void library_copy(Exec const& exec, void* to, void const* from, std::int64_t bytes) {
  auto* const out = static_cast<char*>(to);
  auto const* const in = static_cast<char const*>(from);
  if constexpr (is_host<Exec>) {
    std::int64_t const threads = exec.concurrency();
    std::int64_t const chunk = (bytes / threads + 63) / 64 * 64 + 64;
    Kokkos::parallel_for(
        "tilestride::library_copy", Kokkos::RangePolicy<Exec>(exec, 0, threads), [=](std::int64_t thread) {
          std::int64_t const begin = std::min(bytes, thread * chunk);
          std::memcpy(out + begin, in + begin, static_cast<std::size_t>(std::min(bytes, begin + chunk) - begin));
        });
  } else {
    device_copy(exec, to, from, bytes);
  }
}

/// Bytes are counted twice: each is read and written.
template <class Exec>
Yardstick copy_yardstick(Exec const& exec, void* to, void const* from, std::int64_t bytes) {
  return {"copy", 2 * static_cast<double>(bytes), [=] { library_copy(exec, to, from, bytes); }};
}

/// Every 16 bytes are read once and folded into a value that is stored only if it is one that no input gives.
template <class Exec>
struct ReadAll {
  struct alignas(16) Words {
    std::uint32_t w[4];
  };
  Words const* from;
  std::int64_t packs;  ///< of 16 bytes
  std::int64_t items;
  Kokkos::View<std::uint32_t, Exec> sink;

  /// On a device the items walk side by side, so that neighbours read neighbours; on a host each has a stretch of its
  /// own.
  KOKKOS_FUNCTION void operator()(std::int64_t item) const {
    std::int64_t const stretch = (packs + items - 1) / items;
    std::int64_t const begin = is_host<Exec> ? item * stretch : item;
    std::int64_t const end = is_host<Exec> && begin + stretch < packs ? begin + stretch : packs;
    std::int64_t const step = is_host<Exec> ? 1 : items;
    Words fold{};
    for (std::int64_t i = begin; i < end; i += step) {
      Words const x = from[i];
      for (int w = 0; w < 4; ++w) fold.w[w] |= ~x.w[w];
    }
    if ((fold.w[0] | fold.w[1] | fold.w[2] | fold.w[3]) == 0) sink() = 1;  // all bits of all words were set
  }
};

/// Reading alone: the ceiling of reductions. Bytes are counted once.
template <class Exec>
Yardstick read_yardstick(Exec const& exec, void const* from, std::int64_t bytes) {
  using Kernel = ReadAll<Exec>;
  std::int64_t const items = exec.concurrency();
  Kernel const kernel{static_cast<typename Kernel::Words const*>(from), bytes / 16, items,
                      Kokkos::View<std::uint32_t, Exec>(Kokkos::view_alloc(exec, "tilestride::read"))};
  return {"read", static_cast<double>(bytes / 16 * 16),
          [=] { Kokkos::parallel_for("tilestride::read", Kokkos::RangePolicy<Exec>(exec, 0, items), kernel); }};
}

/// Fused multiply-adds on values that never leave the registers. Each work item keeps `lanes` independent chains: on a
/// device enough to hide the latency of one thread's, on a host ten of the widest vectors (which GCC tells as
/// __BIGGEST_ALIGNMENT__, in bytes; where a compiler names fewer, it has fewer chains).
template <class Exec, class T>
struct FusedMultiplyAdds {
  static constexpr int lanes = is_host<Exec> ? 10 * __BIGGEST_ALIGNMENT__ / int(sizeof(T)) : 8;
  static constexpr int steps = 2048;
  Kokkos::View<T*, Exec> sums;  ///< one a work item: keeps the compiler from dropping the loop

  KOKKOS_FUNCTION void operator()(std::int64_t item) const {
    T const scale = T(0.999), add = T(0.001);
    T x[lanes];
    for (int l = 0; l < lanes; ++l) x[l] = static_cast<T>(item + l);
    for (int s = 0; s < steps; ++s) {
      for (int l = 0; l < lanes; ++l) x[l] = x[l] * scale + add;
    }
    T sum = 0;
    for (int l = 0; l < lanes; ++l) sum += x[l];
    sums(item) = sum;
  }
};

template <class T, class Exec>
Yardstick fma_yardstick(Exec const& exec) {
  using Kernel = FusedMultiplyAdds<Exec, T>;
  std::int64_t const items = exec.concurrency() * (is_host<Exec> ? 16 : 8);
  Kernel const kernel{
      Kokkos::View<T*, Exec>(Kokkos::view_alloc(exec, "tilestride::fma"), static_cast<std::size_t>(items))};
  return {"fma", 2.0 * Kernel::lanes * Kernel::steps * static_cast<double>(items),
          [=] { Kokkos::parallel_for("tilestride::fma", Kokkos::RangePolicy<Exec>(exec, 0, items), kernel); }};
}

}  // namespace tilestride
