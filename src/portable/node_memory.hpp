// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Trials of a host whose memory lies on a chosen NUMA node.

#include <sched.h>

#include "machine/numa.hpp"
#include "portable/host_space.hpp"

namespace tilestride {

constexpr char const* no_node = "the memory of a device belongs to no NUMA node of the host";

/// The CPUs on which the first `threads` threads of a host space run now.
template <class Exec>
std::vector<int> cpus_of_threads(Exec const& exec, int threads) {
  std::vector<int> cpus(static_cast<std::size_t>(threads));
  int* const data = cpus.data();
  Kokkos::parallel_for("tilestride::cpus_of_threads", Kokkos::RangePolicy<Exec>(exec, 0, threads),
                       [data](int thread) { data[thread] = sched_getcpu(); });
  exec.fence("tilestride::cpus_of_threads");
  return cpus;
}

/// make(data) is a trial on n elements of T, which lie on the NUMA node where the first `threads` threads run, or on
/// another one.
template <class T, class Exec, class Make>
Trial trial_on_node(Exec const& exec, int threads, bool remote, std::int64_t n, Make const& make) {
  Placement const placement = placement_for(cpus_of_threads(exec, threads), numa_nodes(), remote);
  if (placement.skip) return skipped(placement.skip->reason, placement.skip->words);
  Trial trial = make(std::static_pointer_cast<T>(memory_on(placement.node, static_cast<std::size_t>(n) * sizeof(T))));
  trial.notes["NUMA node"] = std::to_string(placement.node.number);
  return trial;
}

}  // namespace tilestride
