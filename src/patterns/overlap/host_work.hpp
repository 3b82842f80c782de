// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The host computes while the device copies, computes and copies back: enqueuing returns at once.

#include "patterns/overlap/schedule.hpp"

namespace tilestride::overlap {

/// What the host computes meanwhile, on arrays of its own: as much as takes it four fifths of the device's time.
template <class T>
struct HostWork {
  using Host = Kokkos::DefaultHostExecutionSpace;
  using Array = Kokkos::View<T*, Kokkos::HostSpace>;

  Recurrence<T> step;
  Array from, to;
  double seconds = 0;  ///< of the host alone

  /// On at most n elements.
  HostWork(Recurrence<T> const& recurrence, std::int64_t n, double device_seconds) : step(recurrence) {
    resize(std::min<std::int64_t>(n, 4096 * Host().concurrency()));
    double const per_element = time() / static_cast<double>(from.extent(0));
    resize(std::clamp<std::int64_t>(static_cast<std::int64_t>(0.8 * device_seconds / per_element), 1, n));
    seconds = time();
  }

  void run() const {
    Kokkos::parallel_for("tilestride::overlap::host_work",
                         Kokkos::RangePolicy<Host, Kokkos::IndexType<std::int64_t>>(0, to.extent(0)),
                         Apply<T>{from.data(), to.data(), step});
    Host().fence("tilestride::overlap::host_work");
  }

  /// The verdict's view of what the host makes.
  Buffer made() const {
    auto const n = static_cast<std::int64_t>(to.extent(0));
    return {"host", Buffer::Role::output, to.data(), static_cast<double>(n) * sizeof(T),
            [to = to, n] { poison(Host(), to.data(), n); }};
  }

  Check verify() const {
    return check_all(Host(), static_cast<std::int64_t>(to.extent(0)), IsCounted<T>{to.data(), {3}, step.steps},
                     "every element of the host's own work exactly");
  }

 private:
  void resize(std::int64_t n) {
    from = uninitialized<Array>("tilestride::overlap::host_from", n);
    to = uninitialized<Array>("tilestride::overlap::host_to", n);
    fill(Host(), from.data(), n, CountFrom<T>{3});
  }

  double time() const {
    return seconds_of([&] { run(); }, 5);
  }
};

template <class Way, class Problem>
Trial beside_host_work(std::shared_ptr<Problem> const& p) {
  Trial const alone = in_rounds<Way>(p, {}, [] {});
  alone.run();
  auto const host =
      std::make_shared<HostWork<typename Problem::Element>>(p->step, p->n, alone.clock.time(alone.run, 1));
  Trial trial = in_rounds<Way>(p, {}, [host] { host->run(); });
  p->memory.add(host->made());
  trial.verify = [p, host] {
    Check const device = p->verify_host();
    return device.passed ? host->verify() : device;
  };
  trial.measure = [host] { return Quantities{{"host ms", 1e3 * host->seconds}}; };
  return trial;
}

}  // namespace tilestride::overlap
