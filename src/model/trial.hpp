// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The interface between patterns and measurement. A pattern provides trials; src/measure decides how often and in which
// order they run, measures the time, and calls the verification. No Kokkos here, so that the sampler can be tested with
// a simulated clock.

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <typeindex>
#include <vector>

#include "model/case.hpp"
#include "model/ranks.hpp"

namespace tilestride {

/// The error of a result that rounds, as a share of what rounding to its type explains. 1 is the limit, but for
/// products whose sums are cut off.
struct Accuracy {
  double worst = 0;  ///< of the element that is closest to its bound
  double rms = 0;    ///< root mean square over all elements, each in units of its expected standard deviation
};

/// The result of comparing every output element with an independently computed value.
struct Check {
  bool passed = false;
  double elements = 0;                 ///< how many were compared: all of them
  double wrong = 0;                    ///< how many were outside their bound (NaN always is)
  std::string detail{};                ///< the bound that was used, and the first wrong element when there is one
  std::optional<Accuracy> accuracy{};  ///< of a result that rounds; without one, elements are compared exactly
};

/// A buffer of a problem, as the verdict sees it. A kernel may write outputs and work space; it may not change an
/// input, nor anything past the ends of a buffer.
struct Buffer {
  enum class Role { input, output, work };
  std::string name;
  Role role;
  void* data;  ///< may lie on a device
  double bytes;
  std::function<void()>
      reset;  ///< gives an input its values, overwrites the others, so that what is not written is seen
  std::function<Check()> intact{};  ///< the guards on both sides, and the values of an input; may be empty
};
using Buffers = std::vector<Buffer>;

/// Measures one sample: `repetitions` calls of `run`, begun and ended with the device idle. Returns seconds per call.
struct Clock {
  std::string name;  ///< "events" or "steady_clock"
  std::function<double(std::function<void()> const& run, long repetitions)> time;
  bool asynchronous = false;  ///< the device tells the time: a call returns before its work is done
  /// Records `calls` calls, which do not run, and returns what enqueues all of them in one piece, so that the host's
  /// time for each is not part of a sample. Empty where `run` cannot be recorded; without a function nothing can.
  std::function<std::function<void()>(std::function<void()> const& run, long calls)> record{};
};

/// A trial's own clock, if it has one, else the one that its bench shares.
inline Clock const& own_or(Clock const& own, Clock const& shared) { return own.time ? own : shared; }

/// The name of an asynchronous clock when recorded calls are replayed.
constexpr char const* clock_of_replays = "graph";

/// One kernel of a repetition: its launch, the resources that the compiler assigned, and its occupancy.
struct KernelUse {
  std::string name;                   ///< of the function, without its template arguments
  long blocks = 0;                    ///< of the grid
  int threads = 0;                    ///< per block
  int registers = 0;                  ///< per thread
  long local = 0;                     ///< bytes of local memory per thread: stack frame and spills
  long spill_stores = -1;             ///< bytes, from the output of ptxas at build time; -1: not known
  long spill_loads = -1;              ///< likewise
  long scratch = 0;                   ///< bytes of shared memory per block, static and dynamic
  int blocks_per_multiprocessor = 0;  ///< that can be resident
  double occupancy = 0;               ///< resident threads / maximum per multiprocessor
};

/// One variant, ready to run. Copies of it share the buffers of its problem.
struct Trial {
  std::optional<Skip> skip;       ///< why it cannot run here; everything else is then empty
  std::function<void()> run;      ///< enqueues one repetition
  std::function<Check()> verify;  ///< compares what one repetition left in the outputs
  std::shared_ptr<Buffers const> buffers = std::make_shared<Buffers>();  ///< of its problem
  /// The same kernel asked for something else, whose result shows what its usual one cannot: that it used scratch in
  /// the order asked, or every bit of its inputs. Leaves the inputs as they were. May be empty.
  std::function<Check()> probe{};
  std::function<void()> before{}, after{};   ///< around each sample, untimed: change and restore device settings
  Clock clock{};                             ///< its own clock, if the bench's clock would miss part of the work
  std::function<Quantities()> measure;       ///< what the kernel counted in its last run, e.g. cycles; may be empty
  std::map<std::string, std::string> notes;  ///< printed with the figure: team size, scratch, library version
};

/// A trial that cannot run here, and why.
inline Trial skipped(SkipReason reason, std::string words) {
  Trial trial;
  trial.skip = Skip{reason, std::move(words)};
  return trial;
}

/// A reference that is measured in alternation with the trials.
struct Yardstick {
  std::string name;  ///< "copy", "read" or "fma"
  double work = 0;   ///< bytes or flops of one repetition
  std::function<void()> run;
};

/// Facts about the device of a space; 0 where not known.
struct Device {
  std::string name;
  double memory = 0;                  ///< bytes
  double free_memory = 0;             ///< bytes, now
  double last_cache = 0;              ///< bytes of the last-level cache
  double peak_bandwidth = 0;          ///< B/s of its memory, from its data sheet: an upper limit
  double cache_bandwidth = 0;         ///< B/s that all of it can load and store, from whatever cache: an upper limit
  double peak_f32 = 0, peak_f64 = 0;  ///< FLOP/s, matrix units included
  double link = 0;                    ///< B/s of its links to other devices together, one way
  double clock = 0;                   ///< Hz of a multiprocessor, which serves one wavefront of scratch per cycle
  Hardware hardware;
  double team_scratch = 0;                   ///< bytes of scratch level 0: maximum per team
  int largest_team = 0;                      ///< threads
  std::map<std::string, std::string> facts;  ///< for the result document
};

/// The energy of one repetition.
struct EnergyUse {
  double joules = 0;   ///< per repetition, of the whole device or of all CPU packages: idle power included
  double watts = 0;    ///< mean over the measurement
  double seconds = 0;  ///< that the measurement took
};

/// An energy counter: joules since some moment. Its source brings it up to date only now and then.
using EnergyCounter = std::function<double()>;

/// The state of the device at one moment: clocks, temperature, power, throttle reasons.
using DeviceState = std::map<std::string, std::string>;

/// What the variants of one problem share while they are sampled: instance, clock, buffers, yardsticks.
class Bench {
 public:
  std::shared_ptr<void> exec;  ///< the execution-space instance; declared first: destroyed last
  /// What variants share: of each type the one that the first variant with it has made.
  std::map<std::type_index, std::shared_ptr<void>> problems;
  Clock clock;
  Device device;
  std::function<void()> flush_caches;
  std::vector<Yardstick> yardsticks;
  Ranks* ranks = nullptr;  ///< where this process is one of several that measure together

  // From the vendor's interface; without a function where there is none.
  std::function<DeviceState()> state{};
  EnergyCounter energy{};
  std::string why_no_energy{};                                                        ///< where there is no counter
  std::function<std::vector<KernelUse>(std::function<void()> const& run)> kernels{};  ///< that `run` launches
  std::function<void(bool on)> profiler{};
};

}  // namespace tilestride
