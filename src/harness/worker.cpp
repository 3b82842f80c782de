// SPDX-License-Identifier: BSD-3-Clause
#include "harness/worker.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <set>

#include "deck/units.hpp"
#include "harness/bench.hpp"
#include "harness/build_info.hpp"
#include "harness/machine.hpp"
#include "harness/native.hpp"
#include "harness/result.hpp"
#include "harness/room.hpp"
#include "harness/sampler.hpp"
#include "report/lines.hpp"

namespace tilestride {
namespace {

void write_line(int descriptor, std::string line) {
  line += '\n';
  for (std::size_t done = 0; done < line.size();) {
    ssize_t const n = write(descriptor, line.data() + done, line.size() - done);
    if (n <= 0) _exit(1);  // nobody listens any more
    done += static_cast<std::size_t>(n);
  }
}

/// Why the device of this build cannot be used, so that Kokkos must not even be started; empty when all is well.
std::string why_no_device() {
  for (std::string const& space : build_spaces().spaces) {
    auto* const why = as<WhyUnavailable>(find_native(space, "unavailable"));
    if (why == nullptr) continue;
    if (std::string const reason = why(); !reason.empty()) return reason;
  }
  return "";
}

DeviceState device_state(std::string const& space) {
  auto* const describe = as<DescribeState>(find_native(space, "state"));
  return describe == nullptr ? DeviceState{} : describe();
}

/// Ten times what the sampling of a case may take and what its data, its arithmetic and its operations in sequence
/// would take at 1 GB/s, 1 GFLOP/s and 1 us, and 10 s on top: a step that takes longer hangs.
double step_limit(Case const& c) {
  Work const work = c.pattern->work(c);
  double const bytes = std::max(work.bytes, c.pattern->needs(c));  // all that it holds is filled and verified
  return 10 + 10 * (c.sampling.max_time + bytes / 1e9 + work.flops / 1e9 + work.operations / 1e6);
}

/// Messages of Kokkos and CUDA come in several lines; a reason is one.
std::string one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < 0x20; }, ' ');
  return text;
}

/// The case on this device: a share of the memory is turned into bytes, whole packs of 64.
Case on_device(Case c, Device const& device) {
  c.multiprocessors = device.multiprocessors;
  for (Value& value : c.values) {
    if (value.percent != 0)
      value.n[0] = static_cast<std::int64_t>(device.memory * static_cast<double>(value.percent) / 100) / 64 * 64;
  }
  return c;
}

/// All cases of one problem, from the first allocation to the last verdict.
class Group {
 public:
  Group(Plan const& plan, std::vector<std::size_t> indices, Beacon& beacon, WorkerOptions const& options)
      : plan_(plan), indices_(std::move(indices)), beacon_(beacon), options_(options) {
    session_ = fmt::format("{} {} {}", utc_now(), getpid(), indices_.front());
  }

  /// False when a case threw on the way: this process is then suspect.
  bool run(std::int64_t seed) {
    try {
      double const begin = monotonic_now();
      bool const is_prepared = prepare();
      spent_.preparing = monotonic_now() - begin;
      if (!is_prepared) return false;
      if (entrants_.empty()) return true;
      sample(seed);
      for (Entrant& entrant : entrants_) finish(entrant);
      write_line(options_.output, spent_line(spent_));
      return true;
    } catch (std::exception const& problem) {
      Result result = blank(current_, plan_.cases[current_]);
      result.outcome = Outcome::error;
      result.reason = one_line(problem.what());
      emit(result);
      return false;
    }
  }

 private:
  struct Entrant {
    std::size_t index;
    Case c;  ///< with its bytes resolved
    Trial trial;
    Sampled sampled;
  };

  void enter(std::size_t index, Phase phase, Case const& c) {
    current_ = index;
    beacon_.limit = step_limit(c);
    beacon_.index = static_cast<std::int64_t>(index);
    beacon_.phase = phase;
    ++beacon_.beats;
  }

  /// What is known of a case before it runs; `c` may have its bytes resolved.
  Result blank(std::size_t index, Case const& c) const {
    Result result;
    result.planned = &plan_.cases[index];
    result.work = c.pattern->work(c);
    result.predicted = c.pattern->predictions(c);
    return result;
  }

  void emit(Result const& result) { write_line(options_.output, case_line(result)); }

  void end_early(std::size_t index, Outcome outcome, std::string reason) {
    Result result = blank(index, plan_.cases[index]);
    result.outcome = outcome;
    result.reason = std::move(reason);
    emit(result);
  }

  Room room_for_all() const {
    std::vector<double> needs;
    for (std::size_t const index : indices_) {
      Case const c = on_device(plan_.cases[index], bench_.device);
      if (c.pattern->refusal(c).empty()) needs.push_back(c.pattern->needs(c));
    }
    return {bench_.device.free_memory, needs};
  }

  bool prepare() {
    enter(indices_.front(), Phase::preparing, plan_.cases[indices_.front()]);
    bench_ = open_bench(plan_.cases[indices_.front()].space);
    Room room = room_for_all();
    for (std::size_t const index : indices_) {
      Case const c = on_device(plan_.cases[index], bench_.device);
      enter(index, Phase::preparing, c);
      if (std::string const reason = c.pattern->refusal(c); !reason.empty()) {
        end_early(index, Outcome::error, reason);
        continue;
      }
      if (std::string const reason = room.add(c.pattern->needs(c)); !reason.empty()) {
        end_early(index, Outcome::error, reason);
        continue;
      }
      try {
        Trial trial = c.variant->prepare(bench_, c);
        if (trial.skip.empty())
          entrants_.push_back({index, c, std::move(trial), {}});
        else
          end_early(index, Outcome::skipped, trial.skip);
      } catch (std::exception const& problem) {
        end_early(index, Outcome::error, one_line(problem.what()));
        return false;
      }
    }
    return true;
  }

  void sample(std::int64_t seed) {
    before_ = device_state(plan_.cases[indices_.front()].space);
    std::vector<Sampled> all;
    Sampling const any = entrants_.front().c.sampling;  // yardsticks stop with the last case, not by themselves
    for (Yardstick const& yardstick : bench_.yardsticks) all.push_back({yardstick.name, yardstick.run, any, 1, {}});
    for (Entrant const& entrant : entrants_) {
      Trial const& trial = entrant.trial;
      all.push_back({entrant.c.name(), trial.run, entrant.c.sampling, 1, {}, trial.before, trial.after, trial.clock});
    }
    std::size_t const companions = bench_.yardsticks.size();
    auto const announce = [&](std::size_t i) {
      Entrant const& entrant = entrants_[i < companions ? 0 : i - companions];
      enter(entrant.index, Phase::sampling, entrant.c);
    };
    double const begin = monotonic_now();
    spent_.warming_up =
        sample_in_alternation(all, companions, bench_.clock, bench_.flush_caches, announce, seed, options_.until);
    spent_.sampling = monotonic_now() - begin - spent_.warming_up;
    after_ = device_state(plan_.cases[indices_.front()].space);
    for (std::size_t i = 0; i < companions; ++i) {
      for (double const t : all[i].samples) rates_[all[i].label].push_back(bench_.yardsticks[i].work / t);
    }
    for (std::size_t i = 0; i < entrants_.size(); ++i) entrants_[i].sampled = std::move(all[companions + i]);
  }

  /// The last sample, on a poisoned output, and the verdict on what it wrote.
  void finish(Entrant& entrant) {
    enter(entrant.index, Phase::verifying, entrant.c);
    double const begin = monotonic_now();
    Result result = blank(entrant.index, entrant.c);
    entrant.trial.poison();
    if (entrant.sampled.sampling.cold) bench_.flush_caches();
    entrant.sampled.samples.push_back(entrant.sampled.measure(bench_.clock, entrant.sampled.repetitions));
    result.check = entrant.trial.verify();
    result.notes = entrant.trial.notes;
    if (entrant.trial.measure) result.measured = entrant.trial.measure();
    result.kernels = kernels_of(entrant);
    spent_.verifying += monotonic_now() - begin;
    result.clock = entrant.trial.clock.time ? entrant.trial.clock.name : bench_.clock.name;
    result.repetitions = entrant.sampled.repetitions;
    result.before = before_;
    result.after = after_;
    result.session = session_;
    if (!result.check.passed) {
      result.outcome = Outcome::failed;
      result.reason = result.check.detail;
      emit(result);
      return;
    }
    result.samples = entrant.sampled.samples;
    if (*std::min_element(result.samples.begin(), result.samples.end()) <= 0)
      throw std::runtime_error("the clock saw no time pass");
    result.outcome = Outcome::passed;
    result.yardsticks = rates_;
    result.ceilings = {result.median_rate("copy"), result.median_rate("fma"),
                       bench_.device.clock * bench_.device.multiprocessors, result.median_rate("read"),
                       bench_.device.clock};
    for (auto const& [name, rates] : rates_) result.ceilings.by_name[name] = result.median_rate(name);
    result.model = entrant.c.model(result.ceilings);
    if (entrant.c.pattern->derive != nullptr) {
      Quantities const derived = entrant.c.pattern->derive(result);
      result.measured.insert(result.measured.end(), derived.begin(), derived.end());
    }
    raise_flags(result, entrant.c);
    if (std::string const reason = impossible(result, entrant.c); !reason.empty()) {
      result.outcome = Outcome::error;
      result.reason = reason;
      result.samples.clear();
    }
    emit(result);
  }

  /// What the compiler made of its kernels. Nothing is known of a trial with streams and a clock of its own: only the
  /// instance's stream is made to record.
  std::vector<KernelUse> kernels_of(Entrant const& entrant) const {
    Trial const& trial = entrant.trial;
    auto* const describe = as<DescribeKernels>(find_native(entrant.c.space, "kernels"));
    if (describe == nullptr || trial.clock.time) return {};
    return hold(trial.before, trial.after, [&] { return describe(bench_.exec.get(), trial.run); });
  }

  static void raise_flags(Result& result, Case const& c) {
    Statistics const s = result.statistics();
    double const spread = (s.time.high - s.time.low) / 2 / s.time.median;
    if (spread > c.sampling.spread)
      result.flags.push_back(fmt::format("noisy: median known to {:.1f} %", 100 * spread));
    if (auto const it = result.after.find("throttled by"); it != result.after.end() && it->second != "nothing")
      result.flags.push_back("throttled: " + it->second);
  }

  /// A figure that the device cannot have reached. Data that fit into its caches may outrun its memory.
  std::string impossible(Result const& result, Case const& c) const {
    double const fastest = 1 / result.statistics().time.median;
    bool const from_memory = c.pattern->needs(c) > 4 * bench_.device.last_cache;
    double const peak_bandwidth = c.pattern->memories_of(c) * bench_.device.peak_bandwidth;
    if (peak_bandwidth > 0 && from_memory && result.work.bytes * fastest > peak_bandwidth)
      return fmt::format("{:.0f} GB/s is above the memory's peak of {:.0f} GB/s: the measurement is wrong",
                         result.work.bytes * fastest / 1e9, peak_bandwidth / 1e9);
    double const peak = c.type == Type::f64 ? bench_.device.peak_f64 : bench_.device.peak_f32;
    double const flops = c.pattern->computed_flops(c);
    if (peak > 0 && !result.rounded() && flops * fastest > peak)
      return fmt::format("{:.0f} GFLOP/s is above the device's peak of {:.0f} GFLOP/s: the measurement is wrong",
                         flops * fastest / 1e9, peak / 1e9);
    return c.pattern->implausible == nullptr ? "" : c.pattern->implausible(result);
  }

  Plan const& plan_;
  std::vector<std::size_t> indices_;
  Beacon& beacon_;
  WorkerOptions const& options_;
  std::string session_;
  std::size_t current_ = 0;
  Bench bench_;
  std::vector<Entrant> entrants_;  ///< after bench_: their trials go before the instance they run on
  std::map<std::string, std::vector<double>> rates_;
  DeviceState before_, after_;
  Spent spent_;
};

}  // namespace

int run_worker(Plan const& plan, std::vector<std::size_t> const& todo, WorkerOptions const& options, Beacon& beacon) {
  if (std::string const reason = why_no_device(); !reason.empty()) {
    write_line(options.output, unavailable_line(reason));
    return 0;
  }
  KokkosScope const kokkos(options.kokkos);
  write_line(options.output, machine_line(describe_spaces()));

  std::set<std::size_t> const wanted(todo.begin(), todo.end());
  for (std::size_t g = 0; g < plan.groups.size(); ++g) {
    std::vector<std::size_t> members;
    std::copy_if(plan.groups[g].begin(), plan.groups[g].end(), std::back_inserter(members),
                 [&](std::size_t i) { return wanted.count(i) != 0; });
    if (members.empty()) continue;
    if (options.until > 0 && monotonic_now() > options.until) return 0;
    if (!Group(plan, members, beacon, options).run(plan.run.seed + static_cast<std::int64_t>(g))) return worker_tainted;
  }
  return 0;
}

int profile_cases(Plan const& plan, std::vector<std::size_t> const& indices, std::vector<std::string> const& flags) {
  if (std::string const reason = why_no_device(); !reason.empty()) {
    fmt::print(stderr, "{}\n", reason);
    return 77;
  }
  KokkosScope const kokkos(flags);
  std::size_t skipped = 0, failed = 0;
  for (std::size_t const index : indices) {
    Bench bench = open_bench(plan.cases[index].space);
    Case const c = on_device(plan.cases[index], bench.device);
    Trial trial;
    trial.skip = c.skip.empty() ? c.pattern->refusal(c) : c.skip;
    if (trial.skip.empty()) trial = c.variant->prepare(bench, c);
    if (!trial.skip.empty()) {
      fmt::print("{}: skipped: {}\n", c.name(), trial.skip);
      ++skipped;
      continue;
    }
    auto* const profiler = as<SwitchProfiler>(find_native(c.space, "profiler"));
    kokkos.fence("tilestride::profile");
    if (profiler != nullptr) profiler(true);
    double const seconds = hold(trial.before, trial.after,
                                [&] { return (trial.clock.time ? trial.clock : bench.clock).time(trial.run, 1); });
    if (profiler != nullptr) profiler(false);
    Check const check = trial.verify();
    std::string predictions;
    for (auto const& [name, value] : c.pattern->predictions(c))
      predictions += fmt::format("; predicts {} = {}", name, value);
    fmt::print("{}: one launch, {} under the profiler's eyes, {}{}\n", c.name(), short_time(seconds),
               check.passed ? "verified" : "FAILED: " + check.detail, predictions);
    std::fflush(stdout);
    if (!check.passed) ++failed;
  }
  return failed > 0 ? 1 : skipped == indices.size() ? 77 : 0;
}

}  // namespace tilestride
