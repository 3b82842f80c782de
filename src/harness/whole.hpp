// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Trials that do not come from a problem and a kernel of ours: what is found at the seam, and what is skipped. No
// Kokkos here: a pattern of nothing else is compiled without it.

#include <fmt/format.h>

#include "harness/native.hpp"

namespace tilestride {

inline Trial skipped(std::string reason) {
  Trial trial;
  trial.skip = std::move(reason);
  return trial;
}

/// Whatever is not portable is found under the name PATTERN/VARIANT.
inline std::string name_at_seam(Case const& c) { return c.pattern->name + "/" + c.variant->name; }

inline Trial not_built_in(Case const& c) {
  return skipped(fmt::format("no {} is built in for space {}", name_at_seam(c), c.space));
}

/// A variant that is no kernel over a problem's buffers but a trial of its own: transfers, streams, what a device
/// holds. The space's own interface makes it.
inline Trial prepare_whole(Bench& bench, Case const& c) {
  auto* const make = as<MakeTrial>(find_native(c.space, name_at_seam(c)));
  return make == nullptr ? not_built_in(c) : make(bench, c);
}

}  // namespace tilestride
