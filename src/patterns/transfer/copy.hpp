// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "patterns/transfer/problem.hpp"

namespace tilestride::transfer {

/// A deep_copy on an instance returns before the data are there; without one it waits for the whole device. Two
/// instances are two streams, so that both ways can go at a time. The memory space says how the host's memory was
/// allocated: what the vendor's interface has pinned is copied as Kokkos' own pinned memory is.
struct Copy {
  template <class Exec>
  static Trial trial(Bench& bench, Case const& c) {
    return over_transfer<Exec>(bench, c, [](auto const& p) {
      return p->kind == "pageable" ? between<Kokkos::HostSpace>(p) : between<PinnedSpace<Exec>>(p);
    });
  }

 private:
  template <class HostMemory, class Exec>
  static Trial between(std::shared_ptr<Transfer<Exec>> const& p) {
    using OnDevice = Window<typename Exec::memory_space, Word>;
    auto const instances = Kokkos::Experimental::partition_space(p->exec, 1, 1);
    auto const n = static_cast<std::size_t>(p->n);
    Window<HostMemory, Word> const up_from(p->up_from.data, p->up ? n : 0), down_to(p->down_to.data, p->down ? n : 0);
    OnDevice const up_to(p->up_to.data(), up_from.size()), down_from(p->down_from.data(), down_to.size());
    HostSteps steps;
    steps.calls = [=] {
      if (p->up) Kokkos::deep_copy(instances[0], up_to, up_from);
      if (p->down) Kokkos::deep_copy(instances[1], down_to, down_from);
    };
    steps.wait = [=] {
      if (p->up) instances[0].fence("tilestride::transfer::copy");
      if (p->down) instances[1].fence("tilestride::transfer::copy");
    };
    return transfer_trial(p, p->model(), steps);
  }
};

}  // namespace tilestride::transfer
