// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "model/units.hpp"

namespace tilestride {

/// The memory that the cases of one problem take together, in bytes: they share the problem's, which is the least that
/// any of them needs, and each keeps what it needs beyond that until the last is done.
class MemoryBudget {
 public:
  /// `free` as it was before the first; 0: not known, and nothing is refused.
  MemoryBudget(double free, std::vector<double> const& needs)
      : free_(free), shared_(needs.empty() ? 0 : *std::min_element(needs.begin(), needs.end())) {}

  /// Why a case that needs so much cannot be added; empty when it can, which then counts.
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
