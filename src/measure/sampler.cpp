// SPDX-License-Identifier: BSD-3-Clause
#include "measure/sampler.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "machine/host.hpp"
#include "model/statistics.hpp"

namespace tilestride {
namespace {

constexpr double warm_up_time = 0.01;       // seconds: after that, lazy loading and page faults are done
constexpr long most_recorded = 1000;        // calls: a replay of the shortest then lasts about 1 ms
constexpr double slower_in_a_graph = 1.05;  // times: what is more is no noise

long calls_to_fill_a_sample(double seconds_per_call) {
  return std::clamp(static_cast<long>(std::ceil(shortest_sample / std::max(seconds_per_call, 1e-9))), 1l, 1l << 20);
}

/// No fewer calls, in whole replays where there are any.
long whole_replays(Sampled const& entry, long calls) {
  return entry.replay ? (calls + entry.replayed - 1) / entry.replayed * entry.replayed : calls;
}

/// Runs the entry until it is warm. Returns how many calls fill a sample; a slow entry needs only one.
long warm_up(Sampled const& entry, Clock const& clock, Turns const& turns) {
  double const begin = monotonic_now();
  auto const measure = [&](long calls) { return turns.agreed(entry.measure(clock, calls)); };
  double per_call = measure(1), spent = turns.agreed(monotonic_now() - begin);
  for (int round = 0; (round < 2 || spent < warm_up_time) && spent < entry.sampling.max_time / 4; ++round) {
    per_call = measure(round == 0 ? 1 : calls_to_fill_a_sample(per_call));
    spent = turns.agreed(monotonic_now() - begin);
  }
  return entry.sampling.cold ? 1 : calls_to_fill_a_sample(per_call);
}

/// The host's time for one call, the median of up to a hundred: so many the device can always queue.
double host_time(Sampled const& entry, Clock const& clock) {
  std::vector<double> times;
  Sampled timed = entry;
  timed.run = [&] {
    double const begin = monotonic_now();
    entry.run();
    times.push_back(monotonic_now() - begin);
  };
  timed.measure(clock, std::min(entry.repetitions, 100l));
  return summarize(times).time.median;
}

/// Records the calls of a sample, as many as one piece may have: anew where a replay shows that they take less time
/// than they did one by one. A replay that is slower is none: a large copy in a graph is left to the copy engines,
/// which are slower than the kernel that copies in a stream.
void record_calls(Sampled& entry, Clock const& shared, Turns const& turns) {
  if (!entry.recordable || entry.sampling.cold) return;
  long const at_first = entry.repetitions;
  double const one_by_one = turns.agreed(entry.measure(shared, at_first));
  double replayed = 0;
  for (long calls = 0, wanted = at_first; wanted > 2 * calls; wanted = std::min(entry.repetitions, most_recorded)) {
    calls = std::min(wanted, most_recorded);
    entry.replay = own_or(entry.clock, shared).record(entry.run, calls);
    if (!turns.everywhere(bool(entry.replay))) return void(entry.replay = {});
    entry.replayed = calls;
    entry.measure(shared, calls);  // the first replay uploads what was recorded
    replayed = turns.agreed(entry.measure(shared, calls));
    entry.repetitions = whole_replays(entry, calls_to_fill_a_sample(replayed));
  }
  // Anything else on the machine can make one replay slow: what is slow in a graph is slow each time.
  for (int slow = 0; slow < 3; ++slow) {
    if (slow > 0) replayed = turns.agreed(entry.measure(shared, entry.replayed));
    if (replayed <= slower_in_a_graph * one_by_one) return;
  }
  entry.replay = {};
  entry.repetitions = at_first;
}

/// Whether a sample was far too short, because the warm-up call was not representative: the first call of a library can
/// take the whole warm-up time, since it loads kernels. Then the entry gets more calls, and the sample must be taken
/// again.
bool was_too_short(Sampled& entry, double seconds) {
  long const calls = whole_replays(entry, calls_to_fill_a_sample(seconds));
  if (entry.sampling.cold || calls <= 2 * entry.repetitions) return false;
  entry.repetitions = calls;
  return true;
}

bool is_known(Sampled const& entry) {
  Estimate const e = estimate(entry.samples);
  return (e.high - e.low) / 2 <= entry.sampling.spread * e.median;
}

}  // namespace

double Sampled::measure(Clock const& shared, long calls) const {
  return hold(before, after, [&] {
    if (!replay) return own_or(clock, shared).time(run, calls);
    auto const all = [&] {
      for (long i = 0; i < calls / replayed; ++i) replay();
      for (long i = 0; i < calls % replayed; ++i) run();
    };
    return own_or(clock, shared).time(all, 1) / static_cast<double>(calls);
  });
}

Turns turns_of(Ranks& ranks, bool one_by_one) {
  auto const meet = [&ranks](int times) {
    for (int i = 0; i < times; ++i) ranks.meet();
  };
  auto const wait = [=, &ranks](bool together) { meet(one_by_one && !together ? ranks.rank() + 1 : 1); };
  auto const pass = [=, &ranks](bool together) {
    if (one_by_one && !together) meet(ranks.count() - ranks.rank() - 1);
  };
  return {wait, pass, 0, [&ranks](double mine) { return ranks.largest(mine); }};
}

double in_turn(Turns const& turns, Sampled& entry, Clock const& clock, std::function<void()> const& prepare) {
  if (turns.wait) turns.wait(entry.collective);
  prepare();
  double const begin = monotonic_now(), seconds = entry.measure(clock, entry.repetitions), end = monotonic_now();
  if (turns.pass) turns.pass(entry.collective);
  entry.begins.resize(entry.samples.size());  // without that of a sample that is taken again
  entry.ends.resize(entry.samples.size());
  entry.begins.push_back(begin);
  entry.ends.push_back(end);
  return seconds;
}

double sample_in_alternation(std::vector<Sampled>& what, std::size_t companions, Clock const& clock,
                             std::function<void()> const& flush, std::function<void(std::size_t)> const& enter,
                             std::int64_t seed, double until, Turns const& turns) {
  double const begin = monotonic_now();
  for (std::size_t i = 0; i < what.size(); ++i) {
    enter(i);
    what[i].repetitions = warm_up(what[i], clock, turns);
    if (own_or(what[i].clock, clock).asynchronous) what[i].host_time = host_time(what[i], clock);
    record_calls(what[i], clock, turns);
  }
  double const warming_up = monotonic_now() - begin;
  auto const is_done = [&](Sampled const& entry, double spent, std::size_t& next_look) {
    if (turns.rounds > 0) return entry.samples.size() >= static_cast<std::size_t>(turns.rounds);
    bool const out_of_time = spent >= entry.sampling.max_time || (until > 0 && monotonic_now() > until);
    if (out_of_time && entry.samples.size() >= 3) return true;
    if (entry.samples.size() < next_look) return false;
    next_look += 1 + next_look / 20;  // sorting after each sample would take longer than sampling
    return is_known(entry);
  };
  std::mt19937_64 random(static_cast<std::uint64_t>(seed));
  std::vector<std::size_t> order;
  std::vector<double> spent(what.size(), 0.0);
  std::vector<bool> active(what.size(), true);
  std::vector<std::size_t> next_look(what.size());  // number of samples at which the spread is computed again
  for (std::size_t i = 0; i < what.size(); ++i) next_look[i] = static_cast<std::size_t>(what[i].sampling.min_samples);
  while (true) {
    order.clear();
    for (std::size_t i = 0; i < what.size(); ++i) {
      if (active[i]) order.push_back(i);
    }
    bool const any_case = std::any_of(order.begin(), order.end(), [&](std::size_t i) { return i >= companions; });
    if (!any_case) return warming_up;
    std::shuffle(order.begin(), order.end(), random);
    for (std::size_t const i : order) {
      Sampled& entry = what[i];
      double start = 0;
      auto const prepare = [&] {
        enter(i);
        if (turns.rounds > 0) entry.measure(clock, 1);
        start = monotonic_now();  // flushing is not timed, but it counts against max_time
        if (entry.sampling.cold) flush();
      };
      auto const take = [&] {
        double const seconds = in_turn(turns, entry, clock, prepare);
        spent[i] += entry.ends.back() - start;
        return seconds;
      };
      double seconds = take();
      if (was_too_short(entry, turns.agreed(seconds)))
        seconds = turns.largest ? take() : entry.measure(clock, entry.repetitions);
      entry.samples.push_back(seconds);
      if (i >= companions && turns.everywhere(is_done(entry, spent[i], next_look[i]))) active[i] = false;
    }
  }
}

}  // namespace tilestride
