// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What all variants share: memory on the host, its two places on the device, the kernel, and the parts that a
// schedule is made of, each timed alone. in and out are apart, so that a kernel can be run again.
//
//   from (host) --copy--> in (device) --kernel--> out (device) --copy--> to (host)

#include "patterns/overlap/instances.hpp"
#include "patterns/overlap/native.hpp"
#include "patterns/overlap/pipeline.hpp"
#include "patterns/overlap/recurrence.hpp"
#include "portable/host_device.hpp"
#include "portable/memory.hpp"

namespace tilestride::overlap {

template <class Space, class T, class HostMemory = PinnedSpace<Space>>
struct Overlap {
  using Exec = Space;
  using Element = T;
  using Host = Kokkos::DefaultHostExecutionSpace;
  using OnHost = Kokkos::View<T*, HostMemory>;
  using OnDevice = DeviceArray<Exec, T>;

  Exec exec;
  std::int64_t n;
  Recurrence<T> step;
  Memory memory{"tilestride::overlap"};
  OnHost from, to;
  OnDevice in, out;
  std::shared_ptr<std::vector<Exec>> instances = std::make_shared<std::vector<Exec>>();  ///< of partition_space
  std::shared_ptr<void> streams;  ///< what src/cuda/overlap.cu runs on

  Overlap(Exec const& instance, Case const& c)
      : exec(instance),
        n(c.integer("bytes") / std::int64_t(sizeof(T))),
        step{static_cast<int>(c.integer("intensity"))},
        from(memory.input<OnHost>(Host(), "from", words_on_host(), CountFrom<T>{1})),
        to(memory.output<OnHost>(Host(), "to", words_on_host())),
        in(memory.work<OnDevice>(exec, "in", n)),  // whoever reads too early reads NaN
        out(memory.work<OnDevice>(exec, "out", n)) {}

  Check verify_host() const {
    return check_all(Host(), n, IsCounted<T>{to.data(), {1}, step.steps}, "every element on the host exactly");
  }
  Check verify_device() const {
    return check_all(exec, n, IsCounted<T>{out.data(), {1}, step.steps}, "every element on the device exactly");
  }

  Chunk all() const { return {0, n}; }

  /// The parts alone, and both copies at once: sampled in alternation with the variants.
  std::vector<Yardstick> yardsticks() const {
    Overlap const p = *this;
    auto const length = static_cast<double>(n) * sizeof(T);
    return {
        {"copy", 2 * length, copying(both_ways())},
        {"h2d", length, copying([p] { OnInstances::copy_in(p, p.exec, p.all()); })},
        {"kernel", 2.0 * step.steps * static_cast<double>(n), [p] { OnInstances::compute(p, p.exec, p.in, p.all()); }},
        {"d2h", length, copying([p] { OnInstances::copy_out(p, p.exec, p.all()); })},
        {"launch", 1, copying([p] {
           OnInstances::copy_in(p, p.exec, {0, 1});
         })},
    };
  }

 private:
  static constexpr bool is_pinned = std::is_same_v<HostMemory, PinnedSpace<Exec>>;

  /// What enqueues a copy; from or to pageable memory, what waits for it, too, so that it is not recorded: a schedule
  /// has copies that hold the host, and no graph.
  std::function<void()> copying(std::function<void()> const& enqueue) const {
    if (is_pinned) return enqueue;
    return [exec = exec, enqueue] {
      enqueue();
      OnInstances::wait(exec);
    };
  }

  /// The bench's clock looks at one instance, and Kokkos cannot make that one wait for another. So raw CUDA forks and
  /// joins where it is built in; elsewhere the host waits for both, which its waiting adds to.
  std::function<void()> both_ways() const {
    if (auto const launcher = Launchers::on_device().both_ways) {
      std::int64_t const bytes = n * std::int64_t(sizeof(T));
      return launcher({&exec, type_of<T>()}, {from.data(), in.data(), out.data(), to.data(), bytes}).run;
    }
    return [p = *this, side = instance_beside(exec)] {
      OnInstances::copy_in(p, p.exec, p.all());
      OnInstances::copy_out(p, side, p.all());
      OnInstances::wait(side);
      OnInstances::wait(p.exec);
    };
  }

  /// n, where the host has so much memory left.
  std::int64_t words_on_host() const {
    require_host_memory(static_cast<double>(n) * sizeof(T), is_pinned ? "pinned" : "pageable");
    return n;
  }
};

/// make(problem) over the element type and the host's memory of the case.
template <class Exec, class Make>
Trial over_problem(Bench& bench, Case const& c, Make const& make) {
  return with_type<float, double>(c.type, [&](auto type) {
    using T = typename decltype(type)::type;
    if (c.choice("memory") == "pageable") return make(problem_on<Overlap<Exec, T, Kokkos::HostSpace>>(bench, c));
    return make(problem_on<Overlap<Exec, T>>(bench, c));
  });
}

}  // namespace tilestride::overlap
