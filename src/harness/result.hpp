// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/statistics.hpp"
#include "harness/trial.hpp"

namespace tilestride {

enum class Outcome { passed, failed, error, skipped, not_run };
std::string_view name_of(Outcome outcome);

/// What the device reported of itself before and after a group: clocks, temperature, power, throttle reasons.
using DeviceState = std::map<std::string, std::string>;

/// What became of one case.
struct Result {
  Case const* planned = nullptr;
  Outcome outcome = Outcome::not_run;
  std::string reason;           ///< why it did not pass; empty when it did
  std::vector<double> samples;  ///< seconds per repetition, a round each but for the last,
                                ///< which was taken alone before the verdict; empty unless passed
  std::string session;          ///< same for cases whose samples were taken in the same rounds; else they do not pair
  long repetitions = 0;         ///< calls inside one sample
  std::string clock;
  Check check;
  Work work;
  std::map<std::string, std::vector<double>> yardsticks;  ///< rates (B/s or FLOP/s) in the same rounds
  Ceilings ceilings;                                      ///< their medians, and what is known of the device
  Model model;
  std::vector<std::string> flags;  ///< "noisy", "throttled: …": doubts that do not void the figure
  std::map<std::string, std::string> notes;
  DeviceState before, after;

  Statistics statistics() const { return summarize(samples); }
  /// The pattern's own figure: B/s or FLOP/s at the median.
  double rate() const;
  /// The work that the pattern's figure counts: bytes or flops.
  double amount() const;
  /// Of the yardstick of that name, B/s or FLOP/s; 0 where it was not measured.
  double median_rate(std::string const& yardstick) const;
  /// The yardstick that the pattern's figure is a share of: "copy" or "fma".
  std::string ceiling_name() const;
};

}  // namespace tilestride
