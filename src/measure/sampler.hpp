// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "model/trial.hpp"

namespace tilestride {

/// Runs before(), body() and after(). `before` and `after` may be empty. `after` runs even if `body` throws.
template <class Body>
auto hold(std::function<void()> const& before, std::function<void()> const& after, Body const& body) {
  auto const take_back = [&] {
    if (after) after();
  };
  auto const attempt = [&] {
    try {
      return body();
    } catch (...) {
      try {
        take_back();
      } catch (...) {  // the first error is the one to report
      }
      throw;
    }
  };
  if (before) before();
  auto result = attempt();
  take_back();
  return result;
}

/// One entry to be sampled, and its samples.
struct Sampled {
  std::string label;
  std::function<void()> run;
  Sampling sampling;
  long repetitions = 1;
  std::vector<double> samples;              ///< seconds per repetition, one a round
  std::vector<double> begins{}, ends{};     ///< of each sample, monotonic_now()
  std::function<void()> before{}, after{};  ///< untimed, around each sample
  Clock clock{};                            ///< its own clock; if it has no function, the shared clock is used
  bool recordable = false;                  ///< its calls may be recorded by the clock and replayed
  std::function<void()> replay{};  ///< enqueues `replayed` calls in one piece; empty: calls are made one by one
  long replayed = 0;
  double host_time = 0;     ///< seconds of the host for one call of `run`; 0 where the clock is the host's
  bool collective = false;  ///< every rank must take part in a call

  /// One sample of `calls` calls.
  double measure(Clock const& shared, long calls) const;
};

/// Other processes sample the same entries, in turns or at the same time.
struct Turns {
  /// Before and after each sample: returns when the turn of this process begins, and ends it. `together`: all processes
  /// take this sample at the same time. Without `wait` there is no other process.
  std::function<void(bool together)> wait{}, pass{};
  long rounds = 0;  ///< of samples; 0: the samples themselves say when to stop
  /// The largest of what the processes give. Whatever decides how many calls are made must be the same in all of them.
  std::function<double(double mine)> largest{};

  double agreed(double mine) const { return largest ? largest(mine) : mine; }
  /// Whether it holds in every process.
  bool everywhere(bool here) const { return agreed(here ? 0 : 1) == 0; }
};

/// All ranks sample at the same time, or one after another by their number.
Turns turns_of(Ranks& ranks, bool one_by_one);

/// Takes one sample in this process's turn: seconds per call. When it began and ended is recorded, without what
/// `prepare` does before.
double in_turn(Turns const& turns, Sampled& entry, Clock const& clock, std::function<void()> const& prepare);

/// Samples all entries of `what` in alternation: each round takes one sample of each entry, in a newly shuffled order.
/// An entry takes part until its median is known to `spread` or its `max_time` is spent. The first `companions` entries
/// (the yardsticks) continue as long as any other entry does. `enter(i)` is called before entry i runs.
///
/// Calls that are too short for the clock are repeated until the sample lasts `shortest_sample`; where they can be
/// recorded, they are recorded once and replayed. With cold caches a sample is one call after `flush`. After the time
/// `until` (monotonic_now(); 0: no limit) every entry with three samples stops. With rounds in `turns` every entry has
/// as many samples as there are rounds, and an untimed call before each: the other process has used the caches.
///
/// Returns the seconds spent on warming up, before the first sample.
double sample_in_alternation(std::vector<Sampled>& what, std::size_t companions, Clock const& clock,
                             std::function<void()> const& flush, std::function<void(std::size_t)> const& enter,
                             std::int64_t seed, double until = 0, Turns const& turns = {});

/// Seconds. On a device the first call of a sample starts about 4 us after the first event: 0.1 % of a sample. The
/// resolution of events (0.5 us) matters less.
constexpr double shortest_sample = 4e-3;

}  // namespace tilestride
