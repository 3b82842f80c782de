// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Runs that nobody measured, for the tests of comparisons.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "compare/document.hpp"

namespace tilestride {

/// A case that passed on a GPU and took so many seconds for 1e9 bytes. Its pattern is its name up to the first slash.
inline RecordedCase recorded(std::string const& name, double seconds, double scatter = 0.001) {
  RecordedCase c;
  c.name = name;
  c.pattern = name.substr(0, name.find('/'));
  c.outcome = "passed";
  c.device = "one GPU";
  c.clock = "events";
  c.unit = "GB/s";
  c.amount = 1e9;
  c.seconds = seconds;
  c.scatter = scatter;
  c.samples = {seconds};
  return c;
}

inline RecordedRun made_up_run(std::string const& file, std::vector<RecordedCase> cases) {
  RecordedRun run;
  run.file = file;
  run.started = "at the time of " + file;
  run.cases = std::move(cases);
  return run;
}

/// Random numbers that are the same with every standard library.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  std::size_t below(std::size_t n) { return engine_() % n; }
  double normal() {
    double const radius = std::sqrt(-2 * std::log(1 - uniform()));
    return radius * std::cos(6.283185307179586 * uniform());
  }

 private:
  double uniform() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
  std::mt19937_64 engine_;
};

}  // namespace tilestride
