// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The stages in Kokkos: deep_copy and parallel_for on execution-space instances, each of which does one thing at a
// time.
//
// deep_copy(instance, to, from) between pinned and device memory only enqueues (Kokkos 4.7, CUDA: cudaMemcpyAsync on
// the instance's stream, no fence). Without an instance, or with an instance of a host space, it fences.
// partition_space makes streams of the default kind for CUDA, which wait for the legacy default stream.

#include "patterns/overlap/pipeline.hpp"
#include "patterns/overlap/recurrence.hpp"
#include "portable/host_device.hpp"

namespace tilestride::overlap {

template <class View>
auto part(View const& view, Chunk c) {
  return Kokkos::subview(view, std::pair(c.begin, c.end));
}

struct OnInstances {
  /// The cases of a problem share them, since they run one at a time: an instance can hold a megabyte of the device.
  template <class Problem>
  static std::vector<typename Problem::Exec> const& lanes(Problem& p, std::int64_t count) {
    while (static_cast<std::int64_t>(p.instances->size()) < count) p.instances->push_back(instance_beside(p.exec));
    return *p.instances;
  }

  template <class Problem>
  static void copy_in(Problem const& p, typename Problem::Exec const& exec, Chunk c) {
    Kokkos::deep_copy(exec, part(p.in, c), part(p.from, c));
  }
  template <class Problem>
  static void compute(Problem const& p, typename Problem::Exec const& exec, typename Problem::OnDevice const& input,
                      Chunk c) {
    using Policy = Kokkos::RangePolicy<typename Problem::Exec, Kokkos::IndexType<std::int64_t>>;
    Kokkos::parallel_for("tilestride::overlap::kernel", Policy(exec, c.begin, c.end),
                         Apply<typename Problem::Element>{input.data(), p.out.data(), p.step});
  }
  template <class Problem>
  static void copy_out(Problem const& p, typename Problem::Exec const& exec, Chunk c) {
    Kokkos::deep_copy(exec, part(p.to, c), part(p.out, c));
  }
  template <class Exec>
  static void wait(Exec const& exec) {
    exec.fence("tilestride::overlap");
  }
};

/// The same with a deep_copy that is given no instance: it waits for all of them, before and after.
struct OnInstancesBlocking : OnInstances {
  template <class Problem>
  static void copy_in(Problem const& p, typename Problem::Exec const&, Chunk c) {
    Kokkos::deep_copy(part(p.in, c), part(p.from, c));
  }
  template <class Problem>
  static void copy_out(Problem const& p, typename Problem::Exec const&, Chunk c) {
    Kokkos::deep_copy(part(p.to, c), part(p.out, c));
  }
};

}  // namespace tilestride::overlap
