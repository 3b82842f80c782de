// SPDX-License-Identifier: BSD-3-Clause
#include "measure/energy.hpp"

#include <algorithm>
#include <cmath>

#include "machine/host.hpp"

namespace tilestride {
namespace {

constexpr double shortest_measurement = 2;  // seconds
constexpr double longest_wait = 5;          // seconds for an update of the counter: some come once a second
constexpr double between_looks = 5e-3;      // seconds: calls that end after an update, and are counted, take as much

/// A reading taken just after the counter was updated.
struct Reading {
  double joules = 0, time = 0;
};

class Meter {
 public:
  Meter(EnergyCounter const& joules, std::function<void(long)> const& run, double seconds_per_call)
      : joules_(joules), run_(run), calls_(std::max(1l, std::lround(between_looks / seconds_per_call))) {}

  /// Runs until the counter is updated.
  std::optional<Reading> next_update() {
    double const before = joules_(), begin = monotonic_now();
    while (monotonic_now() - begin < longest_wait) {
      run_(calls_);
      done_ += calls_;
      if (double const now = joules_(); now != before) return Reading{now, monotonic_now()};
    }
    return {};
  }

  void run_for(double seconds) {
    for (double const begin = monotonic_now(); monotonic_now() - begin < seconds; done_ += calls_) run_(calls_);
  }

  long done() const { return done_; }

 private:
  EnergyCounter const& joules_;
  std::function<void(long)> const& run_;
  long calls_;
  long done_ = 0;
};

}  // namespace

std::optional<EnergyUse> measure_energy(EnergyCounter const& joules, std::function<void(long calls)> const& run,
                                        double seconds_per_call) {
  Meter meter(joules, run, seconds_per_call);
  auto const first = meter.next_update();
  if (!first) return {};
  long const before = meter.done();
  meter.run_for(shortest_measurement);
  auto const last = meter.next_update();
  if (!last) return {};
  double const seconds = last->time - first->time, used = last->joules - first->joules;
  return EnergyUse{used / static_cast<double>(meter.done() - before), used / seconds, seconds};
}

}  // namespace tilestride
