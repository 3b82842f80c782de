// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The arithmetic of overlapping: where the chunks lie, and how long stages take that wait for each other. Pure.

#include <algorithm>
#include <cstdint>

#include "plan/plan.hpp"

namespace tilestride {

/// Where chunk k of n elements begins, and where the last one ends (k == chunks). Begins are multiples of 64 elements,
/// so that every copy and every warp starts aligned; n need not be divisible by anything.
inline std::int64_t chunk_begin(std::int64_t n, std::int64_t chunks, std::int64_t k) {
  if (k == chunks) return n;
  std::int64_t const whole = n / chunks, rest = n % chunks;  // n k itself may not fit into 64 bits
  return (whole * k + rest * k / chunks) / 64 * 64;
}

/// What was measured in the same rounds, in seconds.
struct Parts {
  double h2d = 0, kernel = 0, d2h = 0;  ///< each stage alone, over all elements
  double both = 0;                      ///< both copies at once; h2d + d2h where there is one copy engine
  double launch = 0;                    ///< a copy of one element
};

/// How a variant cuts its work.
struct Cut {
  bool back = true;  ///< three stages: the result is copied back; otherwise two
  std::int64_t streams = 1, chunks = 1;
};

/// As the case asks; without those keys one stream and one chunk.
inline Cut cut_of(Case const& c, bool back) {
  if (c.find("streams") == nullptr) return {back, 1, 1};
  std::int64_t const streams = c.integer("streams"), chunks = c.integer("chunks");
  return {back, streams, chunks == 0 ? streams : chunks};
}

/// All stages, one after the other.
inline double in_sequence(Parts const& p, Cut const& cut) { return p.h2d + p.kernel + (cut.back ? p.d2h : 0); }

/// What no schedule can beat: the kernel, or the link with all that has to pass it.
inline double overlap_bound(Parts const& p, Cut const& cut) { return std::max(p.kernel, cut.back ? p.both : p.h2d); }

/// As the tutorial has it, for as many chunks as streams: the longest stage hides all of the others but one part in
/// nStreams. (It says so for two stages; three are the same thought.)
inline double tutorial_estimate(Parts const& p, Cut const& cut) {
  double const longest = std::max({p.h2d, p.kernel, cut.back ? p.d2h : 0});
  return longest + (in_sequence(p, cut) - longest) / static_cast<double>(cut.streams);
}

/// Where there are more chunks than streams, a stream must have done with a chunk before it takes the next one: then so
/// many streams cannot be faster than this.
inline double streams_bound(Parts const& p, Cut const& cut) {
  return cut.streams < cut.chunks ? in_sequence(p, cut) / static_cast<double>(cut.streams) : 0;
}

/// The first chunk passes all stages; each further one follows after the slowest stage, or after the time in which a
/// stream comes round again. Every chunk costs a launch.
inline double pipeline_time(Parts const& p, Cut const& cut) {
  auto const chunks = static_cast<double>(cut.chunks);
  double const step = std::max(overlap_bound(p, cut), streams_bound(p, cut)) / chunks;
  return in_sequence(p, cut) / chunks + (chunks - 1) * step + chunks * p.launch;
}

}  // namespace tilestride
