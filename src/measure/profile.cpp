// SPDX-License-Identifier: BSD-3-Clause
#include "measure/profile.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "measure/group.hpp"
#include "measure/verdict.hpp"
#include "model/units.hpp"

namespace tilestride {
namespace {

/// The case as a trial, or a skip.
Trial prepared(Bench& bench, Case const& c) {
  if (c.skip) return skipped(c.skip->reason, c.skip->words);
  if (std::string const reason = c.refusal(); !reason.empty()) return skipped(SkipReason::not_applicable, reason);
  return c.variant->prepare(bench, c);
}

}  // namespace

Profiled profile_cases(std::vector<Case> const& cases, std::function<Bench(std::string const&)> const& open_bench) {
  Profiled count;
  for (Case const& planned : cases) {
    Bench bench = open_bench(planned.space);
    Case const c = on_device(planned, bench.device);
    Trial const trial = prepared(bench, c);
    if (trial.skip) {
      fmt::print("{}: skipped: {}\n", c.name(), trial.skip->words);
      ++count.skipped;
      continue;
    }
    poison(trial);
    if (bench.profiler) bench.profiler(true);
    double const seconds = timed_call(trial, bench.clock);
    if (bench.profiler) bench.profiler(false);
    Check const check = trial.verify();
    std::string predictions;
    for (auto const& [name, value] : c.predictions()) predictions += fmt::format("; predicts {} = {}", name, value);
    fmt::print("{}: one launch, {} while profiled, {}{}\n", c.name(), short_time(seconds),
               check.passed ? "verified" : "FAILED: " + check.detail, predictions);
    std::fflush(stdout);
    ++(check.passed ? count.verified : count.failed);
  }
  return count;
}

}  // namespace tilestride
