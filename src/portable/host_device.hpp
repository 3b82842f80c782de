// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Shared by the patterns that use host and device: pinned memory, several instances of a space, and the host's timing
// of its steps. The host takes part in such a trial, so its clock is used (wall_clock).

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "machine/host.hpp"
#include "machine/pages.hpp"
#include "model/statistics.hpp"
#include "portable/prepare.hpp"
#include "portable/wall_clock.hpp"

namespace tilestride {

/// Host memory that the device accesses directly (pinned). Where Exec is a host space it is ordinary memory, and
/// nothing is measured.
template <class Exec>
using PinnedSpace = std::conditional_t<is_host<Exec>, Kokkos::HostSpace, Kokkos::SharedHostPinnedSpace>;
template <class Exec, class T>
using PinnedArray = Kokkos::View<T*, PinnedSpace<Exec>>;
template <class Exec, class T>
using DeviceArray = Kokkos::View<T*, typename Exec::memory_space>;
/// A part of an array, or memory owned by another object.
template <class Memory, class T>
using Window = Kokkos::View<T*, Memory, Kokkos::MemoryUnmanaged>;

/// An uninitialized array. Its name is the label of the allocation.
template <class Array>
Array uninitialized(std::string const& name, std::int64_t n) {
  return Array(Kokkos::view_alloc(Kokkos::WithoutInitializing, name), static_cast<std::size_t>(n));
}

/// An instance of the space that runs concurrently with the given one: on a GPU a separate stream or queue.
template <class Exec>
Exec instance_beside(Exec const& exec) {
  return Kokkos::Experimental::partition_space(exec, 1)[0];
}

constexpr char const* no_link = "a host has no link to itself";

/// body(Tag<Exec>) if the space of the case is a device. It is not compiled for hosts, which have no link.
template <class Body>
Trial over_link(Case const& c, Body const& body) {
  return with_space(c.space, [&](auto space) -> Trial {
    if constexpr (is_host<typename decltype(space)::type>)
      return skipped(SkipReason::no_meaning, no_link);
    else
      return body(space);
  });
}

/// A portable variant that is a whole trial: `template <class Exec> static Trial Way::trial(Bench&, Case const&)`.
template <class Way>
Trial prepare_over_link(Bench& bench, Case const& c) {
  return over_link(c, [&](auto space) { return Way::template trial<typename decltype(space)::type>(bench, c); });
}

/// The median of that many measurements, after one for warming up.
template <class Measure>
double median_of(int measurements, Measure const& measure) {
  measure();
  std::vector<double> values;
  for (int i = 0; i < measurements; ++i) values.push_back(measure());
  return estimate(values).median;
}

/// Host seconds of one call of `body`, which waits until its work is done.
template <class Body>
double seconds_of(Body const& body, int calls = 11) {
  return median_of(calls, [&] {
    double const begin = monotonic_now();
    body();
    return monotonic_now() - begin;
  });
}

/// Host times of one repetition, in seconds from its start.
struct HostTimes {
  double pack = 0;   ///< when the host's own work was done
  double calls = 0;  ///< when the last call returned
  double whole = 0;  ///< when all data had arrived
};

/// The host's times over all samples of a trial: the mean over the repetitions of each sample, then the median over the
/// samples. The first samples (warm-up) hardly change the median.
class HostAccount {
 public:
  void begin_sample() { samples_.emplace_back(); }
  void add(HostTimes const& times);
  HostTimes median() const;

 private:
  struct Sample {
    HostTimes sum;
    double repetitions = 0;
  };
  std::vector<Sample> samples_;
};

inline void HostAccount::add(HostTimes const& times) {
  if (samples_.empty()) begin_sample();
  Sample& sample = samples_.back();
  sample.sum.pack += times.pack;
  sample.sum.calls += times.calls;
  sample.sum.whole += times.whole;
  ++sample.repetitions;
}

inline HostTimes HostAccount::median() const {
  std::vector<double> pack, calls, whole;
  for (auto const& [sum, repetitions] : samples_) {
    if (repetitions == 0) continue;
    pack.push_back(sum.pack / repetitions);
    calls.push_back(sum.calls / repetitions);
    whole.push_back(sum.whole / repetitions);
  }
  if (whole.empty()) return {};
  return {estimate(pack).median, estimate(calls).median, estimate(whole).median};
}

/// One repetition on the host: its own work (may be empty), the calls for the device, and the wait until all data have
/// arrived.
struct HostSteps {
  std::function<void()> pack{}, calls{}, wait{};
};

/// A trial of these steps over a problem. `columns` computes the trial's measured columns from the host's times.
template <class Problem>
Trial host_trial(std::shared_ptr<Problem> const& problem, HostSteps const& steps,
                 std::function<Quantities(HostTimes const&)> const& columns) {
  auto const account = std::make_shared<HostAccount>();
  Trial trial = trial_of(problem, [steps, account] {
    double const begin = monotonic_now();
    double packed = begin;
    if (steps.pack) {
      steps.pack();
      packed = monotonic_now();
    }
    steps.calls();
    double const returned = monotonic_now();
    steps.wait();
    account->add({packed - begin, returned - begin, monotonic_now() - begin});
  });
  trial.before = [account] { account->begin_sample(); };
  trial.clock = wall_clock(problem->exec);
  trial.measure = [account, columns] { return columns(account->median()); };
  return trial;
}

}  // namespace tilestride
