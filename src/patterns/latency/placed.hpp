// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The same chase through lines that lie elsewhere: in memory of the host that a device maps, or on a chosen NUMA node.

#include "patterns/latency/pointer_chase.hpp"
#include "portable/host_device.hpp"
#include "portable/node_memory.hpp"

namespace tilestride::latency {

struct Mapped {
  template <class Exec>
  static Trial trial(Bench& bench, Case const& c) {
    using Host = Kokkos::DefaultHostExecutionSpace;
    using Problem = Latency<Exec, std::int32_t>;
    auto const p = problem_on<Problem>(bench, c);
    require_host_memory(static_cast<double>(p->count) * sizeof(Line), "pinned");
    auto const lines = p->memory.template linked_input<PinnedArray<Exec, Line>>(
        Host(), "mapped", p->count,
        [&](Line* data) {
          return typename Problem::LineAt{p->next.data(), data};
        },
        Problem::alignment);
    return trial_of(p, [p, lines] { PointerChase::follow(*p, lines.data()); });
  }
};

template <bool remote>
Trial on_node(Bench& bench, Case const& c) {
  return with_host_space(c, no_node, [&](auto space) {
    using Problem = Latency<typename decltype(space)::type, std::int32_t>;
    auto const p = problem_on<Problem>(bench, c);
    return trial_on_node<Line>(p->exec, 1, remote, p->count, [&](auto const& lines) {
      p->memory.watch(p->exec, c.variant->name, lines.get(), p->count,
                      typename Problem::LineAt{p->next.data(), lines.get()});
      return trial_of(p, [p, lines] { PointerChase::follow(*p, lines.get()); });
    });
  });
}

}  // namespace tilestride::latency
