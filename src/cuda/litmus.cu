// SPDX-License-Identifier: BSD-3-Clause
// Litmus tests with CUDA's fences and cuda::atomic_ref, over the same problem as those in Kokkos.
#include <atomic>
#include <cuda/atomic>
#include <nv/target>

#include "cuda/check.hpp"
#include "patterns/litmus/native.hpp"
#include "patterns/litmus/problem.hpp"

namespace tilestride::litmus {
namespace {

using namespace cuda;

constexpr int warp = Litmus<Kokkos::Cuda>::warp;

template <::cuda::thread_scope scope>
using AtomicRef = ::cuda::atomic_ref<int, scope>;

template <::cuda::thread_scope scope>
struct RelaxedAccess {
  static KOKKOS_FUNCTION int load(int* word) { return AtomicRef<scope>(*word).load(::cuda::std::memory_order_relaxed); }
  static KOKKOS_FUNCTION void store(int* word, int v) {
    AtomicRef<scope>(*word).store(v, ::cuda::std::memory_order_relaxed);
  }
};

/// The fences that the tutorials know; each is one for every order. The host's side has C++'s.
template <::cuda::thread_scope scope>
struct ThreadFence {
  static KOKKOS_FUNCTION void all() {
    NV_IF_ELSE_TARGET(NV_IS_DEVICE, (on_device();), (std::atomic_thread_fence(std::memory_order_seq_cst);))
  }
  static KOKKOS_FUNCTION void stores() { all(); }
  static KOKKOS_FUNCTION void loads() { all(); }

  static __device__ void on_device() {
    if constexpr (scope == ::cuda::thread_scope_block) __threadfence_block();
    if constexpr (scope == ::cuda::thread_scope_device) __threadfence();
    if constexpr (scope == ::cuda::thread_scope_system) __threadfence_system();
  }
};

/// No fence: the flag itself orders what comes before its store and after its load.
template <::cuda::thread_scope scope>
struct AtomicOrdering {
  static KOKKOS_FUNCTION void publish(int* data, int* flag, int v) {
    RelaxedAccess<scope>::store(data, v);
    AtomicRef<scope>(*flag).store(v, ::cuda::std::memory_order_release);
  }
  static KOKKOS_FUNCTION int look(int* flag, int* data, int& found) {
    int const seen = AtomicRef<scope>(*flag).load(::cuda::std::memory_order_acquire);
    found = RelaxedAccess<scope>::load(data);
    return seen;
  }
  static KOKKOS_FUNCTION int exchange(int* mine, int* other, int v) {
    AtomicRef<scope>(*mine).store(v, ::cuda::std::memory_order_seq_cst);
    return AtomicRef<scope>(*other).load(::cuda::std::memory_order_seq_cst);
  }
};

template <class Ordering>
__global__ void litmus_kernel(Run run) {
  play_thread<Ordering, warp>(run, static_cast<int>(blockIdx.x), static_cast<int>(threadIdx.x));
}

template <class Ordering>
void launch(Litmus<Kokkos::Cuda> const& p, Run const& run) {
  litmus_kernel<Ordering><<<p.grid, threads_of(warp), 0, p.exec.cuda_stream()>>>(run);
  check(cudaGetLastError(), "launch of litmus");
}

template <class Ordering>
Trial prepare_as(Bench& bench, Case const& c) {
  return make_trial<Kokkos::Cuda>(bench, c, launch<Ordering>, play_as_host<Ordering, warp>);
}

template <::cuda::thread_scope scope>
Trial prepare_in(Bench& bench, Case const& c) {
  std::string const& form = c.choice("form");
  if (form == "plain") return prepare_as<FencedOrdering<PlainAccess, NoFence>>(bench, c);
  if (form == "volatile") return prepare_as<FencedOrdering<VolatileAccess, NoFence>>(bench, c);
  if (form == "relaxed") return prepare_as<FencedOrdering<RelaxedAccess<scope>, NoFence>>(bench, c);
  if (form == "fenced") return prepare_as<FencedOrdering<VolatileAccess, ThreadFence<scope>>>(bench, c);
  return prepare_as<AtomicOrdering<scope>>(bench, c);
}

Trial prepare_ordered(Bench& bench, Case const& c) {
  switch (scope_of(c)) {
    case Scope::block: return prepare_in<::cuda::thread_scope_block>(bench, c);
    case Scope::device: return prepare_in<::cuda::thread_scope_device>(bench, c);
    default: return prepare_in<::cuda::thread_scope_system>(bench, c);
  }
}

}  // namespace

Launchers Launchers::on_device() {
  Launchers table;
  table.ordered = prepare_ordered;
  return table;
}

}  // namespace tilestride::litmus
