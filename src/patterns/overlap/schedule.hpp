// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Chunks on several lanes: serial, staged, three_stage. `Way` defines a lane and how a stage is enqueued on it:
// OnInstances (Kokkos), or streams of raw CUDA (src/cuda/overlap.cu).
//
//   lanes(Problem&, std::int64_t count)                          at least so many of them, in a std::vector<Lane>
//   copy_in(Problem const&, Lane const&, Chunk)                  enqueues; so do the next two
//   compute(Problem const&, Lane const&, OnDevice const&, Chunk)
//   copy_out(Problem const&, Lane const&, Chunk)
//   wait(Lane const&)                                            until all that it was given is done

#include "patterns/overlap/problem.hpp"

namespace tilestride::overlap {

/// `run` waits until its work is done, so the clock is the host's.
template <class Problem>
Trial waiting_trial(std::shared_ptr<Problem> const& p, std::function<void()> run, Check (Problem::*verify)() const) {
  Trial trial;
  trial.run = std::move(run);
  trial.buffers = p->memory.buffers();
  trial.verify = [p, verify] { return ((*p).*verify)(); };
  trial.clock = wall_clock(p->exec);
  if (auto* const notes = Launchers::on_device().notes) trial.notes = notes(&p->exec);
  return trial;
}

template <class Way, class Problem, class Lane>
void enqueue(Problem const& p, Stage stage, Lane const& lane, Chunk chunk) {
  switch (stage) {
    case Stage::copy_in: return Way::copy_in(p, lane, chunk);
    case Stage::compute: return Way::compute(p, lane, p.in, chunk);
    case Stage::copy_out: return Way::copy_out(p, lane, chunk);
  }
}

/// Rounds of chunks, with `between` after each of them.
template <class Way, class Problem, class Between>
Trial in_rounds(std::shared_ptr<Problem> const& p, Cut const& cut, Between const& between) {
  auto const& lanes = Way::lanes(*p, cut.streams);
  auto const run = [p, cut, &lanes, between] {
    issue(
        p->n, cut, [&](Stage stage, std::size_t lane, Chunk chunk) { enqueue<Way>(*p, stage, lanes[lane], chunk); },
        between);
    for (std::int64_t i = 0; i < cut.streams; ++i) Way::wait(lanes[static_cast<std::size_t>(i)]);
  };
  return waiting_trial(p, run, cut.back ? &Problem::verify_host : &Problem::verify_device);
}

inline std::optional<Skip> why_not(Cut const& cut) {
  if (cut.streams > 64) return Skip{SkipReason::limit, "at most 64 streams"};
  if (cut.chunks > 65536) return Skip{SkipReason::limit, "at most 65536 chunks"};
  return {};
}

/// As the case cuts it: without the keys of a schedule one chunk on one lane. `back`: the result is copied back.
template <class Way, class Problem>
Trial pipeline(std::shared_ptr<Problem> const& p, Case const& c, bool back) {
  Cut const cut = cut_of(c, back);
  if (auto const skip = why_not(cut)) return skipped(skip->reason, skip->words);
  return in_rounds<Way>(p, cut, [] {});
}

}  // namespace tilestride::overlap
