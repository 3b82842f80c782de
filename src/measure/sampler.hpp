// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "model/trial.hpp"

namespace tilestride {

/// body() between `before` and `after`, of which either may be empty: what a sample needs to be held is taken back even
/// when it throws.
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
      } catch (...) {  // what went wrong first is what is told
      }
      throw;
    }
  };
  if (before) before();
  auto result = attempt();
  take_back();
  return result;
}

/// One thing to be sampled, and what came of it.
struct Sampled {
  std::string label;
  std::function<void()> run;
  Sampling sampling;
  long repetitions = 1;
  std::vector<double> samples;              ///< seconds per repetition, one a round
  std::function<void()> before{}, after{};  ///< untimed, around each sample
  Clock clock{};                            ///< its own; without a function: the one that all share

  /// One sample of `calls` calls.
  double measure(Clock const& shared, long calls) const;
};

/// Samples everything in `what` in alternation: each round takes one sample of each, in an order shuffled anew. An
/// entry takes part from the first round until its median is known to `spread` or its `max_time` is spent; the first
/// `companions` entries (the yardsticks) go on for as long as any other does. `enter(i)` is told which one runs next.
///
/// A sample repeats calls that are too short for the clock, until it lasts `shortest_sample`; with cold caches it is
/// one call after `flush`. Past `until` (monotonic_now(); 0: never) whatever has three samples stops.
///
/// Returns the seconds that warming up took, before the first sample.
double sample_in_alternation(std::vector<Sampled>& what, std::size_t companions, Clock const& clock,
                             std::function<void()> const& flush, std::function<void(std::size_t)> const& enter,
                             std::int64_t seed, double until = 0);

/// Seconds. A device waits about 4 us for the first of a sample's calls after its first event, which is then 0.1 %; the
/// resolution of events (0.5 us) is less.
constexpr double shortest_sample = 4e-3;

}  // namespace tilestride
