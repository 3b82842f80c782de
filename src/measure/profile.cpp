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

/// "; kernels 1024x256 1x1024": blocks and threads of each.
std::string launches(std::vector<KernelUse> const& kernels) {
  std::string text = kernels.empty() ? "" : "; kernels";
  for (KernelUse const& kernel : kernels) text += fmt::format(" {}x{}", kernel.blocks, kernel.threads);
  return text;
}

/// What tools/check_model.py reads beside the outcome.
std::string theory(Case const& c) {
  std::string text = c.work().flops > 0 ? fmt::format("; flops {}", c.work().flops) : "";
  for (auto const& [name, value] : c.predictions()) text += fmt::format("; predicts {} = {}", name, value);
  if (c.fetched() > 0) text += fmt::format("; predicts DRAM bytes read = {}", c.fetched());
  return text;
}

/// The clock, with the profiler switched on while it times: what a trial does before and after a call is not profiled.
Clock profiling(Clock clock, std::function<void(bool on)> const& profiler) {
  clock.time = [time = clock.time, profiler](std::function<void()> const& run, long calls) {
    profiler(true);
    double const seconds = time(run, calls);
    profiler(false);
    return seconds;
  };
  return clock;
}

}  // namespace

Profiled profile_cases(std::vector<Case> const& cases, std::function<Bench(std::string const&)> const& open_bench) {
  Profiled count;
  for (Case const& planned : cases) {
    Bench bench = open_bench(planned.space);
    Case const c = on_device(planned, bench.device);
    Trial trial = prepared(bench, c);
    if (trial.skip) {
      fmt::print("{}: skipped: {}\n", c.name(), trial.skip->words);
      ++count.skipped;
      continue;
    }
    bool const is_library = c.variant->role == Role::library;  // which may launch otherwise while it is recorded
    std::vector<KernelUse> const kernels = is_library ? std::vector<KernelUse>{} : kernels_of(bench, trial);
    bool const profiled = bench.profiler && (!kernels.empty() || cases.size() == 1);
    if (profiled) trial.clock = profiling(own_or(trial.clock, bench.clock), bench.profiler);
    poison(trial);
    double const seconds = timed_call(trial, bench.clock);
    Check const check = trial.verify();
    fmt::print("{}: one launch, {} {}, {}{}{}\n", c.name(), short_time(seconds),
               profiled || !bench.profiler ? "while profiled" : "and not profiled (name it alone)",
               check.passed ? "verified" : "FAILED: " + check.detail, launches(kernels), theory(c));
    std::fflush(stdout);
    ++(check.passed ? count.verified : count.failed);
  }
  return count;
}

}  // namespace tilestride
