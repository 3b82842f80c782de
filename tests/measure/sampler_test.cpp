// SPDX-License-Identifier: BSD-3-Clause

// The sampler with a made-up clock: what it says a call lasts has nothing to do with how long it does, so nothing here
// depends on the machine.

#include "measure/sampler.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <functional>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "model/statistics.hpp"

namespace tilestride {
namespace {

/// What the sampler did, in order.
struct Step {
  std::size_t entry;
  long repetitions;
};

class Bed {
 public:
  /// `duration(sample)`: what the clock says of a call in the sample-th measurement of this entry, warm-up included.
  void add(Sampling const& sampling, std::function<double(std::size_t)> duration) {
    std::size_t const index = what.size();
    Sampled sampled;
    sampled.label = "entry " + std::to_string(index);
    sampled.sampling = sampling;
    sampled.run = [this, index] {
      EXPECT_EQ(entered, index) << "a call without enter()";
      ++calls[index];
    };
    what.push_back(std::move(sampled));
    durations.push_back(std::move(duration));
    calls.push_back(0);
    measured.push_back(0);
  }

  void sample(std::size_t companions = 0, std::int64_t seed = 1) {
    Clock const clock{"made up", [this](std::function<void()> const& run, long repetitions) {
                        long const before = calls[entered];
                        for (long i = 0; i < std::min(repetitions, 4l); ++i) run();  // a few stand for many
                        EXPECT_GT(calls[entered], before);
                        if (pause.count() > 0) std::this_thread::sleep_for(pause);
                        steps.push_back({entered, repetitions});
                        return durations[entered](measured[entered]++);
                      }};
    sample_in_alternation(
        what, companions, clock, [this] { ++flushes[entered]; },
        [this](std::size_t i) {
          entered = i;
          flushes.resize(what.size());
        },
        seed);
  }

  /// The measurements that were kept, in order: each entry's last samples.size() steps.
  std::vector<std::size_t> order() const {
    std::vector<std::size_t> left(what.size()), kept;
    for (std::size_t i = 0; i < what.size(); ++i) left[i] = what[i].samples.size();
    for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
      if (left[step->entry] == 0) continue;
      --left[step->entry];
      kept.push_back(step->entry);
    }
    std::reverse(kept.begin(), kept.end());
    return kept;
  }

  std::vector<Sampled> what;
  std::vector<std::function<double(std::size_t)>> durations;
  std::vector<long> calls;
  std::vector<std::size_t> measured;
  std::vector<Step> steps;
  std::vector<int> flushes;
  std::size_t entered = static_cast<std::size_t>(-1);
  std::chrono::milliseconds pause{0};
};

std::function<double(std::size_t)> always(double seconds) {
  return [seconds](std::size_t) { return seconds; };
}

/// Never known to any spread below a third.
double restless(std::size_t sample) { return sample % 2 == 0 ? 1e-3 : 2e-3; }

Sampling patient(int min_samples) { return {min_samples, 3600, 0.005, false}; }

TEST(Sampler, StopsAfterMinSamplesWhenTheMedianIsKnown) {
  for (int const min_samples : {3, 10, 57}) {
    Bed bed;
    bed.add(patient(min_samples), always(1e-3));
    bed.sample();
    EXPECT_EQ(bed.what[0].samples, std::vector<double>(static_cast<std::size_t>(min_samples), 1e-3));
  }
}

TEST(Sampler, GoesOnUntilTheMedianIsKnownToTheSpread) {
  for (double const spread : {0.2, 0.05, 0.02}) {
    Bed bed;
    Sampling sampling = patient(5);
    sampling.spread = spread;
    bed.add(sampling, [](std::size_t i) { return 1e-3 * (1 + static_cast<double>(i * 7919 % 101) / 100); });
    bed.sample();
    std::vector<double> samples = bed.what[0].samples;
    Estimate const now = estimate(samples);
    EXPECT_LE((now.high - now.low) / 2, spread * now.median);
    ASSERT_GT(samples.size(), 5u);
    bool was_unknown =
        false;  // at the look before, which is at most one in twenty samples back: no longer than it takes
    for (std::size_t back = samples.size() / 20 + 1; back > 0; --back) {
      samples.pop_back();
      Estimate const before = estimate(samples);
      was_unknown = was_unknown || (before.high - before.low) / 2 > spread * before.median;
    }
    EXPECT_TRUE(was_unknown);
  }
}

TEST(Sampler, StopsWhenItsTimeIsSpentHoweverRestlessTheSamples) {
  Bed bed;
  bed.pause = std::chrono::milliseconds(1);
  bed.add({10, 0.02, 1e-6, false}, restless);
  bed.sample();
  EXPECT_GE(bed.what[0].samples.size(), 3u);
  EXPECT_LE(bed.what[0].samples.size(), 21u);  // each takes at least a millisecond of the twenty
}

TEST(Sampler, TakesThreeSamplesWhenEvenOneIsTooLong) {
  Bed bed;
  bed.pause = std::chrono::milliseconds(5);
  bed.add({10, 0.001, 1e-6, false}, restless);
  bed.sample();
  EXPECT_EQ(bed.what[0].samples.size(), 3u);
}

TEST(Sampler, CountsFlushingAgainstTheTime) {
  Bed bed;
  bed.add({3, 0.02, 1e-6, true}, restless);
  int flushes = 0;
  Clock const clock{"made up", [&](std::function<void()> const&, long) { return restless(bed.measured[0]++); }};
  sample_in_alternation(
      bed.what, 0, clock,
      [&] {
        ++flushes;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      },
      [](std::size_t) {}, 1);
  EXPECT_LE(flushes, 21);
}

TEST(Sampler, TakesOneSampleOfEachActiveEntryARound) {
  Bed bed;
  std::vector<int> const lengths{5, 12, 30, 8};
  for (int const length : lengths) bed.add(patient(length), always(1e-3));
  bed.sample();
  std::vector<std::size_t> const order = bed.order();
  std::size_t next = 0;
  for (int round = 0; round < 30; ++round) {
    std::set<std::size_t> expected, seen;
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      if (lengths[i] > round) expected.insert(i);
    }
    for (std::size_t k = 0; k < expected.size(); ++k) {
      ASSERT_LT(next, order.size());
      seen.insert(order[next++]);
    }
    ASSERT_EQ(seen, expected) << "round " << round;
  }
  EXPECT_EQ(next, order.size());
}

TEST(Sampler, ShufflesEachRoundAnewAndAsTheSeedSays) {
  auto const order = [](std::int64_t seed) {
    Bed bed;
    for (int i = 0; i < 6; ++i) bed.add(patient(20), always(1e-3));
    bed.sample(0, seed);
    return bed.order();
  };
  std::vector<std::size_t> const first = order(1);
  EXPECT_EQ(first, order(1));
  EXPECT_NE(first, order(2));
  std::set<std::vector<std::size_t>> rounds;
  std::set<std::size_t> leaders;
  for (std::size_t round = 0; round < 20; ++round) {
    auto const begin = first.begin() + static_cast<std::ptrdiff_t>(6 * round);
    rounds.emplace(begin, begin + 6);
    leaders.insert(*begin);
  }
  EXPECT_GT(rounds.size(), 10u);
  EXPECT_GT(leaders.size(), 2u);
}

TEST(Sampler, KeepsCompanionsGoingAsLongAsAnyOther) {
  Bed bed;
  bed.add(patient(3), always(1e-3));      // a companion whose median is known at once
  bed.add({3, 0, 0.5, false}, restless);  // and one whose time is spent before it begins
  bed.add(patient(40), always(1e-3));
  bed.add(patient(7), always(1e-3));
  bed.sample(2);
  EXPECT_EQ(bed.what[0].samples.size(), 40u);
  EXPECT_EQ(bed.what[1].samples.size(), 40u);
  EXPECT_EQ(bed.what[2].samples.size(), 40u);
  EXPECT_EQ(bed.what[3].samples.size(), 7u);
}

TEST(Sampler, DoesNotWaitForCompanionsThatNeverSettle) {
  Bed bed;
  bed.add(patient(1000), restless);
  bed.add(patient(5), always(1e-3));
  bed.sample(1);
  EXPECT_EQ(bed.what[0].samples.size(), 5u);
}

TEST(Sampler, SamplesNothingWhenThereAreOnlyCompanionsOrNobody) {
  Bed bed;
  bed.sample();
  bed.add(patient(5), always(1e-3));
  bed.sample(1);
  EXPECT_TRUE(bed.what[0].samples.empty());
}

TEST(Sampler, FlushesBeforeEverySampleOfColdEntriesAndOfNoOther) {
  Bed bed;
  Sampling cold = patient(9);
  cold.cold = true;
  bed.add(patient(12), always(1e-3));
  bed.add(cold, always(1e-6));
  bed.sample();
  EXPECT_EQ(bed.flushes, (std::vector<int>{0, 9}));
}

TEST(Sampler, RepeatsShortCallsUntilTheyFillASample) {
  for (double const seconds : {1e-6, 3e-6, 1e-5, 2.5e-4, 0.9e-3}) {
    Bed bed;
    bed.add(patient(5), always(seconds));
    bed.sample();
    double const sample = static_cast<double>(bed.what[0].repetitions) * seconds;
    EXPECT_GE(sample, shortest_sample * (1 - 1e-9)) << seconds;
    EXPECT_LE(sample, shortest_sample + seconds * (1 + 1e-9)) << seconds;
    for (auto step = bed.steps.end() - 5; step != bed.steps.end(); ++step)
      EXPECT_EQ(step->repetitions, bed.what[0].repetitions);
  }
}

TEST(Sampler, DoesNotRepeatLongCalls) {
  for (double const seconds : {1.1 * shortest_sample, 0.1, 10.0}) {
    Bed bed;
    bed.add(patient(5), always(seconds));
    bed.sample();
    EXPECT_EQ(bed.what[0].repetitions, 1) << seconds;
  }
}

TEST(Sampler, DoesNotRepeatColdCallsHoweverShort) {
  Bed bed;
  Sampling cold = patient(5);
  cold.cold = true;
  bed.add(cold, always(1e-6));
  bed.sample();
  EXPECT_EQ(bed.what[0].repetitions, 1);
  for (auto step = bed.steps.end() - 5; step != bed.steps.end(); ++step) EXPECT_EQ(step->repetitions, 1);
}

TEST(Sampler, IsNotFooledByASlowFirstCall) {
  Bed bed;
  bed.add(patient(5), [](std::size_t i) { return i == 0 ? 1.0 : 1e-5; });
  bed.sample();
  EXPECT_EQ(bed.what[0].repetitions, std::lround(shortest_sample / 1e-5));
  EXPECT_EQ(bed.what[0].samples, std::vector<double>(5, 1e-5));  // no warm-up among the samples
}

TEST(Sampler, IsNotFooledByAFirstCallThatTakesAllTheTimeForWarmingUp) {
  Bed bed;
  bed.pause = std::chrono::milliseconds(2);
  bed.add({5, 1e-3, 0.005, false}, [](std::size_t i) { return i == 0 ? 1.0 : 1e-5; });
  bed.add({5, 1e-3, 0.005, true}, [](std::size_t i) { return i == 0 ? 1.0 : 1e-5; });
  bed.sample();
  EXPECT_EQ(bed.what[0].repetitions, std::lround(shortest_sample / 1e-5));
  EXPECT_EQ(bed.what[0].samples, std::vector<double>(3, 1e-5));
  EXPECT_EQ(bed.what[1].repetitions, 1);  // with cold caches each call is one
  EXPECT_EQ(std::count_if(bed.steps.begin(), bed.steps.end(), [](Step const& s) { return s.entry == 0; }), 5);
}

TEST(Sampler, SurvivesAClockThatSaysZero) {
  Bed bed;
  bed.add({5, 3600, 0.005, false}, always(0));
  bed.sample();
  EXPECT_EQ(bed.what[0].samples.size(), 5u);
  EXPECT_GT(bed.what[0].repetitions, 1);
}

/// A clock of a device whose calls take 0.9 us, and the host 4 us to make one.
struct Device {
  long made = 0, played = 0;  ///< calls one by one, and in replays, in the measurement that is going on
  double replayed = 0.9e-6;   ///< seconds for a call in a replay
  std::vector<long> recordings;
  std::vector<std::pair<long, long>> measurements;  ///< made and played

  Clock clock() {
    Clock c{"events", [this](std::function<void()> const& run, long repetitions) {
              made = played = 0;
              for (long i = 0; i < repetitions; ++i) run();
              measurements.emplace_back(made, played);
              return (4e-6 * static_cast<double>(made) + replayed * static_cast<double>(played)) /
                     static_cast<double>(repetitions);
            }};
    c.asynchronous = true;
    c.record = [this](std::function<void()> const&, long calls) -> std::function<void()> {
      recordings.push_back(calls);
      return [this, calls] { played += calls; };
    };
    return c;
  }

  Sampled entry(Sampling const& sampling) {
    Sampled sampled;
    sampled.sampling = sampling;
    sampled.run = [this] { ++made; };
    sampled.recordable = true;
    return sampled;
  }

  void sample(std::vector<Sampled>& what) {
    sample_in_alternation(
        what, 0, clock(), [] {}, [](std::size_t) {}, 1);
  }
};

TEST(Sampler, ReplaysRecordedCallsSoThatTheHostsTimeIsNotInTheSample) {
  Device device;
  std::vector<Sampled> what{device.entry(patient(5))};
  device.sample(what);
  for (double const sample : what[0].samples) EXPECT_DOUBLE_EQ(sample, 0.9e-6);
  EXPECT_EQ(what[0].repetitions, 5000);  // more than 4 ms, in whole replays
  for (std::size_t i = 0; i < 5; ++i)
    EXPECT_EQ(device.measurements[device.measurements.size() - 1 - i], std::make_pair(0l, 5000l));
  EXPECT_GT(what[0].host_time, 0);
}

TEST(Sampler, MakesOneByOneWhatIsNoWholeReplay) {
  Device device;
  std::vector<Sampled> what{device.entry(patient(3))};
  device.sample(what);
  long const replayed = what[0].replayed;
  what[0].measure(device.clock(), 2 * replayed + 7);
  EXPECT_EQ(device.measurements.back(), std::make_pair(7l, 2 * replayed));
}

TEST(Sampler, RecordsAnewWhenTheFirstCallsWereSlow) {
  Device device;
  Clock slow = device.clock();
  slow.time = [&, quick = slow.time](std::function<void()> const& run, long repetitions) {
    double const t = quick(run, repetitions);
    return device.recordings.empty() ? 3600 : t;  // the warm-up says that one call fills a sample
  };
  std::vector<Sampled> what{device.entry(patient(3))};
  sample_in_alternation(
      what, 0, slow, [] {}, [](std::size_t) {}, 1);
  EXPECT_EQ(device.recordings.front(), 1);
  EXPECT_EQ(device.recordings.back(), 1000);
}

TEST(Sampler, MakesCallsOneByOneThatAReplaySlowsDown) {
  Device device;
  device.replayed = 6e-6;
  std::vector<Sampled> what{device.entry(patient(3))};
  device.sample(what);
  EXPECT_FALSE(device.recordings.empty());
  EXPECT_FALSE(what[0].replay);
  for (double const sample : what[0].samples) EXPECT_DOUBLE_EQ(sample, 4e-6);
}

TEST(Sampler, KeepsAReplayThatWasSlowTwice) {
  Device device;
  Clock disturbed = device.clock();
  int replays = 0;
  disturbed.time = [&, quiet = disturbed.time](std::function<void()> const& run, long repetitions) {
    double const t = quiet(run, repetitions);
    return device.played > 0 && ++replays <= 3 ? 100 * t : t;  // the first one is not looked at
  };
  std::vector<Sampled> what{device.entry(patient(3))};
  sample_in_alternation(
      what, 0, disturbed, [] {}, [](std::size_t) {}, 1);
  EXPECT_TRUE(what[0].replay);
  for (double const sample : what[0].samples) EXPECT_DOUBLE_EQ(sample, 0.9e-6);
}

TEST(Sampler, DoesNotRecordWhatIsColdOrCannotBe) {
  Device device;
  Sampling cold = patient(3);
  cold.cold = true;
  std::vector<Sampled> what{device.entry(cold), device.entry(patient(3))};
  what[1].recordable = false;
  device.sample(what);
  EXPECT_TRUE(device.recordings.empty());
  for (Sampled const& entry : what) {
    for (double const sample : entry.samples) EXPECT_DOUBLE_EQ(sample, 4e-6);
  }
}

TEST(Sampler, UsesTheEntrysOwnClockAndCallsBeforeAndAfterOutsideIt) {
  std::vector<char> order;
  std::vector<Sampled> what(1);
  what[0].run = [&] { order.push_back('r'); };
  what[0].before = [&] { order.push_back('b'); };
  what[0].after = [&] { order.push_back('a'); };
  what[0].sampling.max_time = 1e-3;
  what[0].clock = {"its own", [&](std::function<void()> const& run, long) {
                     order.push_back('[');
                     run();
                     order.push_back(']');
                     return 7.0;
                   }};
  Clock const shared{"shared",
                     [](std::function<void()> const&, long) -> double { throw std::logic_error("not this one"); }};
  sample_in_alternation(
      what, 0, shared, [] {}, [](std::size_t) {}, 1);
  ASSERT_GE(what[0].samples.size(), 3u);
  for (double const sample : what[0].samples) EXPECT_EQ(sample, 7.0);
  std::string const all(order.begin(), order.end());
  std::string expected;
  while (expected.size() < all.size()) expected += "b[r]a";
  EXPECT_EQ(all, expected);
}

TEST(Sampler, WaitsForItsTurnBeforeEachSampleAndCallsOnceUntimed) {
  std::string steps;
  std::vector<Sampled> what(2);
  for (Sampled& entry : what) {
    entry.run = [&] { steps += 'r'; };
    entry.sampling = {1, 1e-6, 1e3, false};  // alone, it would be enough after one sample
  }
  Clock const clock{"made up", [&](std::function<void()> const& run, long) {
                      run();
                      return 1.0;
                    }};
  Turns const turns{[&](bool) { steps += '|'; }, {}, 4};
  sample_in_alternation(
      what, 1, clock, [] {}, [](std::size_t) {}, 1, 0, turns);
  EXPECT_EQ(what[0].samples.size(), 4u);
  EXPECT_EQ(what[1].samples.size(), 4u);
  std::string const sampled = steps.substr(steps.find('|'));
  std::string expected;
  for (int i = 0; i < 8; ++i) expected += "|rr";
  EXPECT_EQ(sampled, expected);
}

TEST(Sampler, TakesBackWhatASampleHoldsEachTime) {
  Bed bed;
  bed.add(patient(7), always(1e-3));
  int held = 0, most = 0, samples = 0;
  bed.what[0].before = [&] { most = std::max(most, ++held); };
  bed.what[0].after = [&] { --held, ++samples; };
  bed.sample();
  EXPECT_EQ(held, 0);
  EXPECT_EQ(most, 1);
  EXPECT_EQ(static_cast<std::size_t>(samples), bed.steps.size());
}

TEST(Sampler, TakesBackWhatASampleHoldsWhenItThrows) {
  for (bool const taking_back_throws_too : {false, true}) {
    Bed bed;
    bed.add(patient(7), always(1e-3));
    int before = 0, after = 0;
    bed.what[0].before = [&] { ++before; };
    bed.what[0].after = [&] {
      if (++after == before && before == 5 && taking_back_throws_too) throw std::logic_error("cannot be taken back");
    };
    bed.what[0].run = [&] {
      if (before == 5) throw std::runtime_error("the fifth one fails");
      ++bed.calls[0];
    };
    EXPECT_THROW(bed.sample(), std::runtime_error);
    EXPECT_EQ(before, 5);
    EXPECT_EQ(after, 5);
  }
}

}  // namespace
}  // namespace tilestride
