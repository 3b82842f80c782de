// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "model/units.hpp"

namespace tilestride {

/// The memory that the cases of one problem take together, in bytes. They share the problem's buffers: the minimum that
/// any of them needs. Each case keeps its additional memory until the last case is done.
class MemoryBudget {
 public:
  /// `free`: free memory before the first case; 0: not known, and nothing is refused.
  MemoryBudget(double free, std::vector<double> const& needs)
      : free_(free), shared_(needs.empty() ? 0 : *std::min_element(needs.begin(), needs.end())) {}

  /// Adds a case that needs so much memory. Returns why it cannot be added; empty when it was added.
  std::string add(double needed) {
    double const own = needed - shared_;
    if (free_ > 0 && needed > free_) return fmt::format("needs {}, free {}", short_bytes(needed), short_bytes(free_));
    if (free_ > 0 && shared_ + held_ + own > free_)
      return fmt::format("needs {} beside the {} of the same problem's other variants, free {}", short_bytes(own),
                         short_bytes(shared_ + held_), short_bytes(free_));
    held_ += own;
    return "";
  }

 private:
  double free_, shared_, held_ = 0;
};

}  // namespace tilestride
