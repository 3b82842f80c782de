// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The same reads of a set that lies elsewhere: in memory of the host that a device maps, or on a chosen NUMA node.

#include "patterns/bandwidth/global.hpp"
#include "portable/host_device.hpp"
#include "portable/node_memory.hpp"

namespace tilestride::bandwidth {

/// `set` holds PackAt{placed_salt}; `owner` keeps it.
template <class Problem, class Owner>
Trial placed_trial(std::shared_ptr<Problem> const& p, Pack const* set, Owner const& owner) {
  Trial trial = trial_of(p, [p, set, owner] { Global::read_from(*p, set); });
  trial.verify = [p] { return p->verify(placed_salt); };
  return trial;
}

struct Mapped {
  template <class Exec>
  static Trial trial(Bench& bench, Case const& c) {
    using Host = Kokkos::DefaultHostExecutionSpace;
    auto const p = problem_on<Bandwidth<Exec, std::int32_t>>(bench, c);
    require_host_memory(static_cast<double>(p->reading.packs * pack_bytes), "pinned");
    auto const set =
        p->memory.template input<PinnedArray<Exec, Pack>>(Host(), "mapped", p->reading.packs, PackAt{placed_salt});
    return placed_trial(p, set.data(), set);
  }
};

template <bool remote>
Trial on_node(Bench& bench, Case const& c) {
  return with_host_space(c, no_node, [&](auto space) {
    using Exec = typename decltype(space)::type;
    auto const p = problem_on<Bandwidth<Exec, std::int32_t>>(bench, c);
    return trial_on_node<Pack>(p->exec, p->reading.readers, remote, p->reading.packs, [&](auto const& set) {
      p->memory.watch(p->exec, c.variant->name, set.get(), p->reading.packs, PackAt{placed_salt});
      return placed_trial(p, set.get(), set);
    });
  });
}

}  // namespace tilestride::bandwidth
