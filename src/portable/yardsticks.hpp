// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Simple kernels that measure what the machine can reach: the ceilings of a case, sampled beside it.

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "model/trial.hpp"
#include "portable/lanes.hpp"
#include "portable/spaces.hpp"

namespace tilestride {

/// A deep_copy on an instance of Kokkos' device. Defined in one source (bench.cpp), since deep_copy would add its own
/// kernels to each source.
void device_copy(Kokkos::DefaultExecutionSpace const& exec, void* to, void const* from, std::int64_t bytes);

/// The library's copy of `bytes` within the space's memory: on a device an asynchronous copy on the instance by Kokkos
/// (cudaMemcpyAsync for CUDA), on a host std::memcpy, one chunk per thread.
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

/// Every 16 bytes are read once and combined into a value. It is stored only if it has a value that no input can
/// produce.
template <class Exec>
struct ReadAll {
  struct alignas(16) Words {
    std::uint32_t w[4];
  };
  Words const* from;
  std::int64_t packs;  ///< of 16 bytes
  std::int64_t items;
  Kokkos::View<std::uint32_t, Exec> sink;

  /// On a device the accesses of neighbouring items are contiguous (grid stride); on a host each item has a contiguous
  /// part.
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

/// Fused multiply-adds on values that stay in registers: each work item has enough independent chains to hide the
/// latency.
template <class Exec, class T>
struct FusedMultiplyAdds {
  static constexpr int chains = 8, lanes = chains;
  static constexpr int steps = 2048;
  Kokkos::View<T*, Exec> sums;  ///< one per work item: keeps the compiler from removing the loop

  KOKKOS_FUNCTION void operator()(std::int64_t item) const {
    T const scale = T(0.999), add = T(0.001);
    T x[chains];
    for (int c = 0; c < chains; ++c) x[c] = static_cast<T>(item + c);
    for (int s = 0; s < steps; ++s) {
      for (int c = 0; c < chains; ++c) x[c] = x[c] * scale + add;
    }
    T sum = x[0];
    for (int c = 1; c < chains; ++c) sum += x[c];
    sums(item) = sum;
  }
};

/// The same on a host, whose chains are ten of the widest vectors. For the host alone: a compiler for devices has no
/// such vectors there.
template <class Exec, class T>
struct VectorMultiplyAdds {
  using Vector = typename Lanes<T>::Vector;
  static constexpr int chains = 10, lanes = chains * Lanes<T>::count;
  static constexpr int steps = 2048;
  Kokkos::View<T*, Exec> sums;

  void operator()(std::int64_t item) const {
    T const scale = T(0.999), add = T(0.001);
    Vector x[chains];
    for (int c = 0; c < chains; ++c) x[c] = Vector{} + static_cast<T>(item + c);
    for (int s = 0; s < steps; ++s) {
      for (int c = 0; c < chains; ++c) x[c] = x[c] * scale + add;
    }
    Vector sum = x[0];
    for (int c = 1; c < chains; ++c) sum += x[c];
    sums(item) = sum[0];
  }
};

template <class T, class Exec>
Yardstick fma_yardstick(Exec const& exec) {
  using Kernel = std::conditional_t<is_host<Exec>, VectorMultiplyAdds<Exec, T>, FusedMultiplyAdds<Exec, T>>;
  std::int64_t const items = exec.concurrency() * (is_host<Exec> ? 16 : 8);
  Kernel const kernel{
      Kokkos::View<T*, Exec>(Kokkos::view_alloc(exec, "tilestride::fma"), static_cast<std::size_t>(items))};
  return {"fma", 2.0 * Kernel::lanes * Kernel::steps * static_cast<double>(items),
          [=] { Kokkos::parallel_for("tilestride::fma", Kokkos::RangePolicy<Exec>(exec, 0, items), kernel); }};
}

}  // namespace tilestride
