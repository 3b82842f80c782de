// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Chunks on two instances of Kokkos in turn. One instance cannot wait for another: the host waits for both, and its
// clock is used.

#include <array>

#include "patterns/zero_copy/copied.hpp"
#include "patterns/zero_copy/kokkos.hpp"

namespace tilestride::zero_copy {

template <class Exec>
Trial overlapped(Bench const& bench, std::shared_ptr<ZeroCopy<Exec>> const& p, Case const& c) {
  if (auto const skip = why_not_in_chunks(c)) return skipped(skip->reason, skip->words);
  std::array<Exec, 2> const lanes{instance_beside(p->exec), instance_beside(p->exec)};
  std::int64_t const chunks = c.integer("chunks");
  int const blocks = blocks_for(bench, *p, c);
  Trial trial = gathering_trial(p, [p, lanes, chunks, blocks] {
    enqueue_chunks<ByKokkos>(*p, lanes, chunks, blocks);
    for (Exec const& lane : lanes) lane.fence("tilestride::zero_copy");
  });
  trial.clock = wall_clock(p->exec);
  return trial;
}

}  // namespace tilestride::zero_copy
