// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// How much is read, from the case alone.

#include <algorithm>

#include "model/case.hpp"
#include "patterns/bandwidth/reading.hpp"

namespace tilestride::bandwidth {

/// What a reader reads at least in a call: a first level of cache serves so much in a quarter of a millisecond.
constexpr std::int64_t least_bytes = std::int64_t(64) << 20;

/// Those that the case asks for, or one for each multiprocessor, each thread of a host; 0 where that is not known.
inline std::int64_t reader_count(Case const& c) {
  if (c.integer("readers") > 0) return c.integer("readers");
  return is_host_space(c.space) ? c.hardware.threads : c.hardware.multiprocessors;
}

inline bool reads_parts(Case const& c) { return c.choice("reads") == "part"; }

/// Passes that the case asks for, or as many as make up `least_bytes` of the longest range.
inline std::int64_t pass_count(Case const& c) {
  if (c.integer("passes") > 0) return c.integer("passes");
  std::int64_t const readers = reads_parts(c) ? std::max<std::int64_t>(reader_count(c), 1) : 1;
  std::int64_t const longest = std::max((c.integer("bytes") + readers - 1) / readers, pack_bytes);
  return (least_bytes + longest - 1) / longest;
}

/// Of all readers in one call: exactly what they ask for.
inline double bytes_read(Case const& c) {
  double const sets = reads_parts(c) ? 1 : static_cast<double>(reader_count(c));
  return sets * static_cast<double>(pass_count(c)) * static_cast<double>(c.integer("bytes"));
}

}  // namespace tilestride::bandwidth
