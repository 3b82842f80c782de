// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace tilestride {

/// One case of a result document, as far as a comparison needs it. Figures only where it passed.
struct RecordedCase {
  std::string name, pattern, outcome, reason;
  std::string device;               ///< that it ran on: "NVIDIA H200", or the host's CPU and cores
  std::string clock;                ///< "events", "steady_clock"
  std::string unit;                 ///< of the figure: "GB/s", "GFLOP/s" or "ns" per operation
  double amount = 0;                ///< what the figure counts, per repetition: bytes, flops or operations
  double seconds = 0;               ///< median per repetition
  double scatter = 0;               ///< the median's standard error, as a share of it
  double ceiling = 0;               ///< rate of the yardstick that the figure is a share of; 0: there is none
  double multiprocessor_clock = 0;  ///< MHz, the mean of before and after; 0: unknown
  std::vector<double> samples;      ///< seconds per repetition

  bool passed() const { return outcome == "passed"; }
  double rate() const { return amount / seconds; }
};

/// A result document.
struct RecordedRun {
  std::string file, started;
  /// Everything that describes machine, environment, programs and deck: "cpu", "tilestride-cuda: compiler", …
  std::map<std::string, std::string> facts;
  std::vector<RecordedCase> cases;  ///< in the document's order, each name once
};

/// Reads `result.json`, or that of a folder. Throws std::runtime_error with the reason if it is not a result document
/// of this schema, is cut off, or holds a median that is not that of its samples.
RecordedRun read_run(std::string const& path);

/// The same of a document in memory, of this program's schema. `file`: what to call it.
RecordedRun recorded_run(nlohmann::ordered_json const& document, std::string const& file);

}  // namespace tilestride
