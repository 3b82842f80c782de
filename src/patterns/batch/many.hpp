// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "patterns/batch/problem.hpp"

namespace tilestride::batch {

struct Many {
  template <class Exec>
  static Trial trial(Bench& bench, Case const& c) {
    using From = Window<PinnedSpace<Exec>, Word>;
    using To = Window<typename Exec::memory_space, Word>;
    auto const p = problem_on<Batch<Exec>>(bench, c);
    Exec const instance = instance_beside(p->exec);
    HostSteps steps;
    steps.calls = [p, instance] {
      auto const words = static_cast<std::size_t>(p->at.words);
      for (std::int64_t i = 0; i < p->at.chunks; ++i)
        Kokkos::deep_copy(instance, To(p->to.data() + p->at.to(i), words), From(p->from.data() + p->at.from(i), words));
    };
    steps.wait = [instance] { instance.fence("tilestride::batch::many"); };
    return batch_trial(p, p->copies(p->small.next), p->small.next, 0, steps);
  }
};

}  // namespace tilestride::batch
