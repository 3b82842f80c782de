// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The arithmetic of overlapping: where the chunks lie, in which order their stages are issued, and how long stages take
// that wait for each other. Pure.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "model/case.hpp"

namespace tilestride::overlap {

/// Where chunk k of n elements begins, and where the last one ends (k == chunks). Begins are multiples of 64 elements,
/// so that every copy and every warp starts aligned; n need not be divisible by anything.
inline std::int64_t chunk_begin(std::int64_t n, std::int64_t chunks, std::int64_t k) {
  if (k == chunks) return n;
  std::int64_t const whole = n / chunks, rest = n % chunks;  // n k itself may not fit into 64 bits
  return (whole * k + rest * k / chunks) / 64 * 64;
}

/// Elements [begin, end).
struct Chunk {
  std::int64_t begin = 0, end = 0;
  bool empty() const { return begin == end; }
};

inline Chunk chunk_of(std::int64_t n, std::int64_t chunks, std::int64_t k) {
  return {chunk_begin(n, chunks, k), chunk_begin(n, chunks, k + 1)};
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
  std::int64_t width = 1;  ///< chunks of a round, whose stages are issued side by side: 1 is depth first

  std::size_t stream_of(std::int64_t chunk) const { return static_cast<std::size_t>(chunk % streams); }
};

/// As the case asks; without those keys one stream and one chunk.
inline Cut cut_of(Case const& c, bool back) {
  if (c.find("streams") == nullptr) return {back};
  std::int64_t const streams = c.integer("streams"), chunks = c.integer("chunks");
  return {back, streams, chunks == 0 ? streams : chunks, c.choice("order") == "breadth" ? streams : 1};
}

enum class Stage { copy_in, compute, copy_out };

/// Calls enqueue(stage, stream, chunk) for all stages of n elements in the order in which `cut` issues them: stage
/// after stage for a round of chunks. `between` is called after each round.
template <class Enqueue, class Between>
void issue(std::int64_t n, Cut const& cut, Enqueue const& enqueue, Between const& between) {
  for (std::int64_t first = 0; first < cut.chunks; first += cut.width) {
    std::int64_t const last = std::min(first + cut.width, cut.chunks);
    for (Stage const stage : {Stage::copy_in, Stage::compute, Stage::copy_out}) {
      if (stage == Stage::copy_out && !cut.back) continue;
      for (std::int64_t k = first; k < last; ++k) {
        Chunk const chunk = chunk_of(n, cut.chunks, k);
        if (!chunk.empty()) enqueue(stage, cut.stream_of(k), chunk);
      }
    }
    between();
  }
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

/// Whether all streams together are slower than the bound: a stream must have done with a chunk before it takes its
/// next.
inline bool too_few_streams(Parts const& p, Cut const& cut) {
  return cut.streams < cut.chunks && in_sequence(p, cut) > static_cast<double>(cut.streams) * overlap_bound(p, cut);
}

/// The first chunk passes all stages. Each further one follows after the slowest stage; the first stream's not before
/// it is done with the one that it had. Every chunk costs a launch.
inline double pipeline_time(Parts const& p, Cut const& cut) {
  auto const chunks = static_cast<double>(cut.chunks), streams = static_cast<double>(cut.streams);
  auto const turns = static_cast<double>((cut.chunks - 1) / cut.streams);  // in which all streams take a chunk
  auto const rest = static_cast<double>((cut.chunks - 1) % cut.streams);
  double const sum = in_sequence(p, cut), bound = overlap_bound(p, cut);
  return (sum + turns * std::max(sum, streams * bound) + rest * bound) / chunks + chunks * p.launch;
}

/// The same where a copy holds the thread that issues it until it is done, as one from or to pageable memory does: it
/// first waits for what its stream was given before. A kernel runs beside the copies that are issued after it, on other
/// streams.
inline double held_time(Parts const& p, Cut const& cut) {
  double const share = 1 / static_cast<double>(cut.chunks);
  double host = 0, kernels = 0;  // when the thread has issued what it has, when the last kernel is done
  std::vector<double> streams(static_cast<std::size_t>(cut.streams), 0.0);  // when each of them is
  auto const enqueue = [&](Stage stage, std::size_t stream, Chunk) {
    double& done = streams[stream];
    if (stage == Stage::compute) {
      done = kernels = std::max({host, kernels, done}) + share * p.kernel;
    } else {
      done = host = std::max(host, done) + share * (stage == Stage::copy_in ? p.h2d : p.d2h) + p.launch;
    }
  };
  issue(64 * cut.chunks, cut, enqueue, [] {});
  return std::max(host, kernels);
}

/// Each round waits until the one before it is done, and for something short in between.
inline double rounds_time(Parts const& p, Cut const& cut) {
  auto const round = [&](std::int64_t chunks) {
    double const share = static_cast<double>(chunks) / static_cast<double>(cut.chunks);
    Parts const parts{share * p.h2d, share * p.kernel, share * p.d2h, share * p.both, p.launch};
    return chunks == 0 ? 0 : pipeline_time(parts, {cut.back, chunks, chunks}) + p.launch;
  };
  return static_cast<double>(cut.chunks / cut.width) * round(cut.width) + round(cut.chunks % cut.width);
}

}  // namespace tilestride::overlap
