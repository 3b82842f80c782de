// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The contract between patterns and harness. A pattern hands over trials; the harness decides how often and in which
// order they run, holds the clock, and asks for the verdict. No Kokkos here, so that the sampler can be tested with a
// made-up clock.

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/case.hpp"

namespace tilestride {

/// What a comparison of every element of the output with its independent value found.
struct Check {
  bool passed = false;
  double elements = 0;  ///< how many were compared: all of them
  double wrong = 0;     ///< how many were outside their bound (NaN always is)
  std::string detail;   ///< the bound that was used, and the first wrong element when there is one
};

/// Measures one sample: `repetitions` calls of `run`, begun and ended with the device idle. Returns seconds per call.
struct Clock {
  std::string name;  ///< "events" or "steady_clock"
  std::function<double(std::function<void()> const& run, long repetitions)> time;
};

/// One kernel of a repetition: how it was launched, what the compiler gave it, and how much of a multiprocessor it
/// fills.
struct KernelUse {
  std::string name;                   ///< of the function, without its template arguments
  long blocks = 0;                    ///< of the grid
  int threads = 0;                    ///< of a block
  int registers = 0;                  ///< of a thread
  long local = 0;                     ///< bytes of local memory of a thread: stack frame and spills
  long spill_stores = -1;             ///< bytes, as ptxas said when it was built; -1 where it was not asked
  long spill_loads = -1;              ///< likewise
  long scratch = 0;                   ///< bytes of shared memory of a block, static and dynamic
  int blocks_per_multiprocessor = 0;  ///< that can be resident
  double occupancy = 0;               ///< resident threads / the most that a multiprocessor holds
};

/// One variant, ready to run. Copies of it share the buffers of its problem.
struct Trial {
  std::optional<Skip> skip;      ///< why it cannot run here; everything else is then empty
  std::function<void()> run;     ///< enqueues one repetition
  std::function<void()> poison;  ///< spoils the output, so that a kernel that writes nothing is found out
  std::function<Check()> verify;
  std::function<void()> before{}, after{};  ///< around each sample, untimed: sets and takes back what the device holds
  Clock clock{};                        ///< its own, where the bench's would not see all of it; else without a function
  std::function<Quantities()> measure;  ///< what the kernel itself counted in its last run, cycles say; may be empty
  std::map<std::string, std::string> notes;  ///< facts that belong to the figure: team size, scratch, library version
};

/// A trial that cannot run here, and why.
inline Trial skipped(SkipReason reason, std::string words) {
  Trial trial;
  trial.skip = Skip{reason, std::move(words)};
  return trial;
}

/// Something measured in alternation with the trials, for them to be set against.
struct Yardstick {
  std::string name;  ///< "copy", "read" or "fma"
  double work = 0;   ///< bytes or flops of one repetition
  std::function<void()> run;
};

/// Facts of the device behind a space, as far as they are known; 0 where not.
struct Device {
  std::string name;
  double memory = 0;                  ///< bytes
  double free_memory = 0;             ///< bytes, now
  double last_cache = 0;              ///< bytes of the last-level cache
  double peak_bandwidth = 0;          ///< B/s of its memory, by its data sheet: nothing can be faster
  double peak_f32 = 0, peak_f64 = 0;  ///< FLOP/s, matrix units included
  double clock = 0;                   ///< Hz of a multiprocessor, which serves one wavefront of scratch a cycle
  Hardware hardware;
  double team_scratch = 0;                   ///< bytes of scratch level 0 that a team can have
  int largest_team = 0;                      ///< threads
  std::map<std::string, std::string> facts;  ///< for the result document
};

/// What the device reports of itself at one moment: clocks, temperature, power, throttle reasons.
using DeviceState = std::map<std::string, std::string>;

/// What the variants of one problem share while they are sampled: instance, clock, buffers, yardsticks.
class Bench {
 public:
  std::shared_ptr<void> exec;     ///< the execution-space instance; declared first: destroyed last
  std::shared_ptr<void> problem;  ///< made by the first variant that is prepared
  Clock clock;
  Device device;
  std::function<void()> flush_caches;
  std::vector<Yardstick> yardsticks;

  // What the vendor's own interface tells; without a function where there is none.
  std::function<DeviceState()> state{};
  std::function<std::vector<KernelUse>(std::function<void()> const& run)> kernels{};  ///< that `run` launches
  std::function<void(bool on)> profiler{};
};

}  // namespace tilestride
