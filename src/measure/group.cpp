// SPDX-License-Identifier: BSD-3-Clause
#include "measure/group.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <stdexcept>

#include "machine/host.hpp"
#include "measure/energy.hpp"
#include "measure/memory_budget.hpp"
#include "measure/plausibility.hpp"
#include "measure/sampler.hpp"
#include "measure/verdict.hpp"
#include "model/spaces.hpp"

namespace tilestride {
namespace {

/// A step that takes longer than this counts as hung: 10 s, plus ten times the sum of the sampling time and the time
/// for its bytes at 1 GB/s, its flops at 1 GFLOP/s and its dependent operations at 1 us each.
double step_limit(Case const& c) {
  Work const work = c.work();
  double const bytes = std::max(work.bytes, c.needs());  // everything that is allocated is filled and verified
  double const metering = c.sampling.energy ? 15 : 0;    // measure_energy() may wait twice for a counter
  return 10 + metering + 10 * (c.sampling.max_time + bytes / 1e9 + work.flops / 1e9 + work.operations / 1e6);
}

/// Seconds. A device that works longer on a call has the next one in its queue before it is done, even where the host
/// takes several launches for each.
constexpr double hidden_by_a_call = 50e-6;

/// All cases of one problem, from the first allocation to the last verdict.
class Group {
 public:
  Group(std::vector<Case> const& cases, Bench bench, GroupSettings const& settings, Observer const& observer,
        PhaseTimes& times)
      : cases_(cases), settings_(settings), observer_(observer), times_(times), bench_(std::move(bench)) {
    session_ = fmt::format("{} {} {}", utc_now(), getpid(), cases_.front().name());
    bench_.ranks = settings.ranks;
    bench_.device.hardware.ranks = settings.ranks != nullptr ? settings.ranks->count() : 0;
  }

  bool run() {
    try {
      double const begin = monotonic_now();
      bool const is_prepared = prepare();
      times_.preparing = monotonic_now() - begin;
      if (!is_prepared) return false;
      judge_first_calls();
      if (!entrants_.empty()) sample_and_finish();
      entrants_.clear();
      everywhere(true);  // no rank frees memory that the trials of another still have open
      return true;
    } catch (std::exception const& problem) {
      end_early(*current_, Outcome::error, one_line(problem.what()));
      return false;
    }
  }

 private:
  struct Entrant {
    Case const* planned;
    Case c;  ///< with percentages resolved to bytes
    Trial trial;
    std::function<void()> replay;  ///< one call, recorded; empty where it cannot be
    Sampled sampled;

    Clock const& clock(Bench const& bench) const { return own_or(trial.clock, bench.clock); }
  };

  void enter(Case const& planned, Phase phase, Case const& resolved) {
    current_ = &planned;
    observer_.on_step(planned, phase, step_limit(resolved));
  }

  /// What is known about a case before it runs.
  static Result blank(Case const& planned, Case const& resolved) {
    Result result;
    result.planned = &planned;
    result.work = resolved.work();
    result.predicted = resolved.predictions();
    return result;
  }

  void end_early(Case const& planned, Outcome outcome, std::string reason, std::optional<SkipReason> skip = {}) {
    Result result = blank(planned, planned);
    result.outcome = outcome;
    result.reason = std::move(reason);
    result.skip_reason = skip;
    observer_.on_result(result);
  }

  /// Whether it holds on every rank: what one of them cannot do, none does, so that none waits for it.
  bool everywhere(bool here) const { return settings_.turns.everywhere(here); }

  void end_elsewhere(Case const& planned) { end_early(planned, Outcome::not_run, not_on_every_rank); }

  MemoryBudget budget_for_all() const {
    std::vector<double> needs;
    for (Case const& planned : cases_) {
      Case const c = on_device(planned, bench_.device);
      if (c.refusal().empty()) needs.push_back(c.needs());
    }
    return {bench_.device.free_memory, needs};
  }

  /// False when a case threw.
  bool prepare() {
    MemoryBudget budget = budget_for_all();
    for (Case const& planned : cases_) {
      Case const c = on_device(planned, bench_.device);
      enter(planned, Phase::preparing, c);
      std::string reason = c.refusal();
      if (reason.empty()) reason = budget.add(c.needs());
      if (!reason.empty()) end_early(planned, Outcome::error, reason);
      if (!everywhere(reason.empty())) {
        if (reason.empty()) end_elsewhere(planned);
        continue;
      }
      try {
        Trial trial = c.variant->prepare(bench_, c);
        bool const all = everywhere(!trial.skip);
        if (trial.skip)
          end_early(planned, Outcome::skipped, trial.skip->words, trial.skip->reason);
        else if (all)
          entrants_.push_back({&planned, c, std::move(trial), {}, {}});
        else
          end_elsewhere(planned);
      } catch (std::exception const& problem) {
        end_early(planned, Outcome::error, one_line(problem.what()));
        return false;
      }
    }
    return true;
  }

  void sample_and_finish() {
    sample();
    if (settings_.turns.rounds > 0) settings_.turns.wait(false);  // verifying would disturb the other's last sample
    look_around();
    for (Entrant& entrant : entrants_) finish(entrant);
  }

  DeviceState state() const { return bench_.state ? bench_.state() : DeviceState{}; }

  void sample() {
    before_ = state();
    std::vector<Sampled> all;
    Sampling const any = entrants_.front().c.sampling;  // yardsticks stop with the last case, not earlier
    for (Yardstick const& yardstick : bench_.yardsticks) {
      Sampled& sampled = all.emplace_back();
      sampled.label = yardstick.name;
      sampled.run = yardstick.run;
      sampled.sampling = any;
      sampled.recordable = bool(bench_.clock.record);
    }
    for (Entrant const& entrant : entrants_) {
      Trial const& trial = entrant.trial;
      Sampled& sampled = all.emplace_back();
      sampled.label = entrant.c.name();
      sampled.run = trial.run;
      sampled.sampling = entrant.c.sampling;
      sampled.before = trial.before;
      sampled.after = trial.after;
      sampled.clock = trial.clock;
      sampled.recordable = bool(entrant.replay);
      sampled.collective = entrant.c.pattern->collective;
    }
    std::size_t const companions = bench_.yardsticks.size();
    auto const announce = [&](std::size_t i) {
      Entrant const& entrant = entrants_[i < companions ? 0 : i - companions];
      enter(*entrant.planned, Phase::sampling, entrant.c);
    };
    double const begin = monotonic_now();
    times_.warming_up = sample_in_alternation(all, companions, bench_.clock, bench_.flush_caches, announce,
                                              settings_.seed, settings_.until, settings_.turns);
    times_.sampling = monotonic_now() - begin - times_.warming_up;
    after_ = state();
    for (std::size_t i = 0; i < companions; ++i) {
      for (double const t : all[i].samples) rates_[all[i].label].push_back(bench_.yardsticks[i].work / t);
    }
    for (std::size_t i = 0; i < entrants_.size(); ++i) entrants_[i].sampled = std::move(all[companions + i]);
  }

  /// One call of each, before anything else touches the buffers, and its probe. What fails is not sampled.
  void judge_first_calls() {
    double const begin = monotonic_now();
    std::vector<Entrant> right;
    for (Entrant& entrant : entrants_) {
      enter(*entrant.planned, Phase::verifying, entrant.c);
      Check check = one_call(entrant);
      if (check.passed && entrant.trial.probe) {
        if (Check probe = entrant.trial.probe(); !probe.passed) check = std::move(probe);
      }
      if (!check.passed) end_failed(entrant, check);
      if (!everywhere(check.passed)) {
        if (check.passed) end_elsewhere(*entrant.planned);
        continue;
      }
      record(entrant);
      right.push_back(std::move(entrant));
    }
    entrants_ = std::move(right);
    times_.verifying += monotonic_now() - begin;
  }

  /// A call that can be replayed: recorded once, it leaves what a call leaves. One that also uses another stream or the
  /// host does not. What a trial changes on its device before a sample may not be recorded: it is not tried.
  void record(Entrant& entrant) const {
    Clock const& clock = entrant.clock(bench_);
    if (!clock.record || entrant.trial.before) return;
    entrant.replay = clock.record(entrant.trial.run, 1);
    if (!everywhere(bool(entrant.replay)) || !everywhere(one_replay(entrant).passed)) entrant.replay = {};
  }

  Check one_replay(Entrant const& entrant) const {
    return verdict_on_one_call(entrant.trial, [&] { entrant.clock(bench_).time(entrant.replay, 1); });
  }

  Check one_call(Entrant const& entrant) const {
    return verdict_on_one_call(entrant.trial, [&] {
      if (entrant.c.sampling.cold) bench_.flush_caches();
      timed_call(entrant.trial, bench_.clock);
    });
  }

  void end_failed(Entrant const& entrant, Check const& check) {
    Result result = blank(*entrant.planned, entrant.c);
    result.outcome = Outcome::failed;
    result.reason = check.detail;
    result.check = check;
    result.notes = entrant.trial.notes;
    observer_.on_result(result);
  }

  /// Who altered an input or a guard while all were sampled is found in finish(); here they get their values again.
  void look_around() {
    Trial const& any = entrants_.front().trial;
    if (surroundings(any).passed) return;
    restore(any);
    altered_while_sampled_ = true;
  }

  double last_sample(Entrant& entrant) {
    auto const prepare = [&] {
      if (entrant.sampled.sampling.cold) bench_.flush_caches();
    };
    Turns const& turns = settings_.ranks != nullptr ? settings_.turns : Turns{};
    return in_turn(turns, entrant.sampled, bench_.clock, prepare);
  }

  /// The last sample, after which the inputs must be as they were; then the verdict on one more call.
  void finish(Entrant& entrant) {
    enter(*entrant.planned, Phase::verifying, entrant.c);
    double const begin = monotonic_now();
    entrant.sampled.samples.push_back(last_sample(entrant));
    Check check = surroundings(entrant.trial);
    if (!check.passed) restore(entrant.trial);
    bool sound = everywhere(check.passed);
    for (int call = 0; call < 2 && sound; ++call) {  // two in turn: every second may do
      check = one_call(entrant);
      sound = everywhere(check.passed);
    }
    if (sound && entrant.sampled.replay) check = one_replay(entrant);
    Result result = blank(*entrant.planned, entrant.c);
    result.check = check;
    result.notes = entrant.trial.notes;
    result.intensity = with_its_block(entrant).intensity();
    if (entrant.trial.measure) result.measured = entrant.trial.measure();
    if (entrant.sampled.host_time > 0) result.measured.emplace_back("host us", 1e6 * entrant.sampled.host_time);
    result.kernels = kernels_of(bench_, entrant.trial);
    times_.verifying += monotonic_now() - begin;
    if (!check.passed) return end_failed(entrant, check);
    result.clock = entrant.sampled.replay ? clock_of_replays : entrant.clock(bench_).name;
    result.repetitions = entrant.sampled.repetitions;
    result.before = before_;
    result.after = after_;
    result.session = session_;
    result.samples = entrant.sampled.samples;
    if (settings_.ranks != nullptr) {
      for (double const t : entrant.sampled.begins) result.begins.push_back(t + settings_.clock_offset);
      for (double const t : entrant.sampled.ends) result.ends.push_back(t + settings_.clock_offset);
    }
    if (*std::min_element(result.samples.begin(), result.samples.end()) <= 0)
      throw std::runtime_error("the clock saw no time pass");
    result.outcome = Outcome::passed;
    add_theory(result, entrant.c);
    raise_flags(result, entrant);
    if (entrant.c.sampling.energy && !entrant.c.pattern->collective) add_energy(result, entrant);
    if (altered_while_sampled_) result.flags.emplace_back("an input was altered while this was sampled");
    if (std::string const reason = why_impossible(result, entrant.c, bench_.device); !reason.empty()) {
      result.outcome = Outcome::error;
      result.reason = reason;
      result.samples.clear();
    }
    observer_.on_result(result);
  }

  /// The case with the block that its rule chose: what it asks memory for follows from that.
  static Case with_its_block(Entrant const& entrant) {
    Case c = entrant.c;
    auto const chosen = entrant.trial.notes.find("block");
    for (Value& value : c.values) {
      if (value.key->name != "block" || chosen == entrant.trial.notes.end()) continue;
      auto const& choices = value.key->choices;
      value.n[0] = std::find(choices.begin(), choices.end(), chosen->second) - choices.begin();
    }
    return c;
  }

  /// The case alone, for as long as its counter needs.
  void add_energy(Result& result, Entrant const& entrant) {
    enter(*entrant.planned, Phase::energy, entrant.c);
    std::string reason = bench_.why_no_energy;
    try {
      auto const run = [&](long calls) { entrant.sampled.measure(bench_.clock, calls); };
      if (bench_.energy) result.energy = measure_energy(bench_.energy, run, result.statistics().time.median);
      if (bench_.energy && !result.energy) reason = "its counter does not move";
    } catch (std::runtime_error const& problem) {  // the counter's
      reason = problem.what();
    }
    if (!result.energy) result.notes["energy"] = "not measured: " + reason;
  }

  /// The yardsticks measured beside it, and the model computed from them.
  void add_theory(Result& result, Case const& c) const {
    Device const& device = bench_.device;
    result.yardsticks = rates_;
    result.ceilings.scratch = device.clock * device.hardware.multiprocessors;
    result.ceilings.clock = device.clock;
    result.set_ceilings();
    Case prepared = c;
    prepared.spills = spills_of(result.kernels, device);
    result.model = prepared.model(result.ceilings);
    if (c.pattern->derive == nullptr) return;
    Quantities const derived = c.pattern->derive(result);
    result.measured.insert(result.measured.end(), derived.begin(), derived.end());
  }

  /// Of the first kernel of a repetition.
  static std::optional<Spills> spills_of(std::vector<KernelUse> const& kernels, Device const& device) {
    if (kernels.empty() || kernels.front().spill_loads < 0) return {};
    KernelUse const& kernel = kernels.front();
    double const resident = kernel.occupancy * device.hardware.resident_threads * device.hardware.multiprocessors;
    return Spills{static_cast<double>(kernel.spill_loads),
                  resident * static_cast<double>(kernel.local) <= device.last_cache};
  }

  /// What a case is compared with that is faster than its ceiling.
  static std::string ceiling_in_words(Result const& result) {
    std::string const name = result.ceiling_name();
    if (name == "copy") return is_host_space(result.planned->space) ? "memcpy" : "the library's copy";
    return name == "fma" ? "plain multiply-adds" : "a plain " + name;
  }

  void raise_flags(Result& result, Entrant const& entrant) const {
    Statistics const s = result.statistics();
    if (double const ceiling = result.ceiling(); ceiling > 0 && result.amount() / s.time.median > 1.01 * ceiling)
      result.flags.push_back("above 100 %: faster than " + ceiling_in_words(result) + " beside it");
    double const spread = (s.time.high - s.time.low) / 2 / s.time.median;
    if (spread > entrant.c.sampling.spread)
      result.flags.push_back(fmt::format("noisy: median known to {:.1f} %", 100 * spread));
    if (entrant.clock(bench_).asynchronous && !entrant.sampled.replay && s.time.median < hidden_by_a_call)
      result.flags.emplace_back("host-bound: so short a call waits for the host");
    if (auto const it = result.after.find("throttled by"); it != result.after.end() && it->second != "nothing")
      result.flags.push_back("throttled: " + it->second);
  }

  std::vector<Case> const& cases_;
  GroupSettings const& settings_;
  Observer const& observer_;
  PhaseTimes& times_;
  std::string session_;
  Case const* current_ = &cases_.front();
  Bench bench_;
  std::vector<Entrant> entrants_;  ///< after bench_: trials are destroyed before the instance they run on
  std::map<std::string, std::vector<double>> rates_;
  DeviceState before_, after_;
  bool altered_while_sampled_ = false;  ///< an input, or a guard
};

}  // namespace

char const* name_of(Phase phase) {
  switch (phase) {
    case Phase::starting: return "starting";
    case Phase::preparing: return "preparing";
    case Phase::waiting: return "waiting for other ranks";
    case Phase::sampling: return "sampling";
    case Phase::verifying: return "verifying";
    case Phase::energy: return "measuring energy";
  }
  return "";
}

Case on_device(Case c, Device const& device) {
  c.hardware = device.hardware;
  for (Value& value : c.values) {
    if (value.percent != 0)
      value.n[0] = static_cast<std::int64_t>(device.memory * static_cast<double>(value.percent) / 100) / 64 * 64;
  }
  return c;
}

std::vector<KernelUse> kernels_of(Bench const& bench, Trial const& trial) {
  if (!bench.kernels || trial.clock.time) return {};
  return hold(trial.before, trial.after, [&] { return bench.kernels(trial.run); });
}

std::string one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < 0x20; }, ' ');
  return text;
}

bool measure_group(std::vector<Case> const& cases, Bench bench, GroupSettings const& settings, Observer const& observer,
                   PhaseTimes& times) {
  return Group(cases, std::move(bench), settings, observer, times).run();
}

}  // namespace tilestride
