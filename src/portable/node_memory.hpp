// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Trials of a host whose memory lies on a chosen NUMA node.

#include <sched.h>

#include "machine/numa.hpp"
#include "portable/prepare.hpp"

namespace tilestride {

/// body(Tag<Exec>) if the space of the case is a host's. It is not compiled for devices.
template <class Body>
Trial with_host_space(Case const& c, Body const& body) {
  return with_space(c.space, [&](auto space) -> Trial {
    if constexpr (is_host<typename decltype(space)::type>)
      return body(space);
    else
      return skipped(SkipReason::no_meaning, "the memory of a device belongs to no NUMA node of the host");
  });
}

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

}  // namespace tilestride
