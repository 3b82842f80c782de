// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>

namespace tilestride {

/// What each device reached in earlier runs: tools/learn_baseline.py makes it from their results.
struct Baseline {
  struct OfCase {
    std::map<std::string, double> devices;  ///< median rate by id: UUID, or "host:rank"
    double own_mad = 0;                     ///< relative, of a device's results about their median; 0: not known
  };
  std::map<std::string, OfCase> cases;  ///< by name
};

/// Reads a baseline. Throws std::runtime_error when the file is none.
Baseline read_baseline(std::string const& path);

}  // namespace tilestride
