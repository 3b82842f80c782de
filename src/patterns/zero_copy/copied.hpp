// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The alternative to mapping: the words are copied first, all at once or in chunks, and then the kernel reads them.
// `By` launches and copies: ByKokkos (kokkos.hpp) or raw CUDA.

#include "patterns/zero_copy/problem.hpp"

namespace tilestride::zero_copy {

template <class By, class Exec>
Trial copy_then_compute(Bench const& bench, std::shared_ptr<ZeroCopy<Exec>> const& p, Case const& c) {
  Walk<Gather> const walk = p->gather(p->copy.data(), blocks_for(bench, *p, c));
  Trial trial = gathering_trial(p, [p, walk] {
    By::copy_in(*p, By::lane(p->exec), 0, p->n);
    By::launch(By::lane(p->exec), walk);
  });
  trial.measure = [p, walk, clock = bench.clock] {
    double const kernel = clock.time([&] { By::launch(By::lane(p->exec), walk); }, 10);
    return Quantities{{"kernel us", 1e6 * kernel}};
  };
  return trial;
}

inline std::optional<Skip> why_not_in_chunks(Case const& c) {
  if (c.integer("reuse") != 1)
    return Skip{SkipReason::not_applicable, "a kernel on a chunk has no words of other chunks: reuse must be 1"};
  if (c.integer("chunks") > 65536) return Skip{SkipReason::limit, "at most 65536 chunks"};
  return {};
}

/// Chunk after chunk, each on the next lane: the copy of a chunk overlaps with the kernel of the previous chunk.
template <class By, class Exec, class Lanes>
void enqueue_chunks(ZeroCopy<Exec> const& p, Lanes const& lanes, std::int64_t chunks, int blocks) {
  Walk<Gather> walk = p.gather(p.copy.data(), blocks);
  constexpr std::int64_t line_packs = line_bytes / 16;
  std::int64_t const touched = p.touched.count / line_packs;  // lines
  std::int64_t copied = 0, done = 0;
  for (std::int64_t k = 1; k <= chunks; ++k) {
    std::int64_t const next = touched * k / chunks;
    std::int64_t const copy_to = k == chunks ? p.lines() : p.touched.line(next);
    if (next == done) continue;
    auto const& lane = lanes[static_cast<std::size_t>(k) % lanes.size()];
    By::copy_in(p, lane, copied * line_words, copy_to * line_words);
    walk.begin = done * line_packs;
    walk.end = next * line_packs;
    By::launch(lane, walk);
    copied = copy_to;
    done = next;
  }
}

}  // namespace tilestride::zero_copy
