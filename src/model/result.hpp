// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/statistics.hpp"
#include "model/trial.hpp"

namespace tilestride {

enum class Outcome { passed, failed, error, skipped, not_run };
std::string_view name_of(Outcome outcome);

/// What the ranks of a run measured of one case, each on its own device or cores.
struct OfRanks {
  std::vector<double> seconds;  ///< the median of each rank, by rank
  /// Bytes, flops or operations per second of all ranks together: what all did in a sample, over the time from the
  /// first that began it to the last that ended it; the median of the samples. 0 where they took turns.
  double together = 0;
  DeviceState slowest_device;  ///< clocks, temperature, … of the slowest rank after its samples

  double median() const;   ///< seconds
  double slowest() const;  ///< seconds
  std::size_t slowest_rank() const;
};

/// The result of one case.
struct Result {
  Case const* planned = nullptr;
  Outcome outcome = Outcome::not_run;
  std::string reason;                     ///< why it did not pass; empty when it did
  std::optional<SkipReason> skip_reason;  ///< of a skipped case
  std::string program;                    ///< the program that measured it
  std::vector<double> samples;            ///< seconds per repetition: one per round, and a last one
                                          ///< taken alone before verification; empty unless passed
  std::vector<double> begins, ends;       ///< of the samples of a rank: seconds on the clock of rank 0
  std::optional<OfRanks> ranks;           ///< of a run of several ranks
  std::string session;   ///< equal for cases sampled in the same rounds: their samples can be compared in pairs
  long repetitions = 0;  ///< calls inside one sample
  std::string clock;
  Check check;
  Work work;
  std::optional<Intensity> intensity;                     ///< where something is computed
  std::map<std::string, std::vector<double>> yardsticks;  ///< rates (B/s or FLOP/s) in the same rounds
  Ceilings ceilings;                                      ///< their medians, and what is known of the device
  Model model;
  std::optional<EnergyUse> energy;  ///< where the deck asks for it and a counter is there
  std::vector<std::string> flags;   ///< "noisy", "throttled: …": warnings; the figure stays valid
  std::map<std::string, std::string> notes;
  Quantities predicted;            ///< Pattern::predict
  Quantities measured;             ///< Trial::measure
  std::vector<KernelUse> kernels;  ///< launched by one repetition, if the device's interface reports them
  DeviceState before, after;

  Statistics statistics() const { return summarize(samples); }
  /// It worked on inputs rounded to fewer bits than its type has: it is not comparable to peaks and results of that
  /// type.
  bool rounded() const { return notes.count("rounded to") != 0; }
  /// It is made of products of another type: its own type's peak does not limit it.
  bool made_of_others() const { return notes.count("made of") != 0; }
  /// The pattern's own figure at the median: B/s, FLOP/s or operations/s; more is better.
  double rate() const;
  /// The work that the pattern's figure counts: bytes, flops or operations.
  double amount() const;
  /// A rate as the pattern's figure prints it: GB/s, GFLOP/s, or ns for one operation.
  double in_unit(double rate) const;
  /// Of `measured`, by name; 0 where there is none.
  double measured_value(std::string_view name) const;
  /// Of the yardstick of that name, B/s or FLOP/s; 0 where it was not measured.
  double median_rate(std::string const& yardstick) const;
  /// Sets those of the ceilings that are yardsticks to their medians.
  void set_ceilings();
  /// The yardstick for the share in the report: "copy", "read" or "fma"; none for a latency.
  std::string ceiling_name() const;
  double ceiling() const;  ///< its rate; 0 where it was not measured
  /// Bytes, flops or operations per joule; 0 where the energy was not measured.
  double per_joule() const { return energy ? amount() / energy->joules : 0; }
};

}  // namespace tilestride
