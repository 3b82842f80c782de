// SPDX-License-Identifier: BSD-3-Clause

// Threads in the place of ranks. What one of them waits for and does not get is an error after some seconds, so that a
// deadlock fails a test and does not stop it.

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "measure/group.hpp"
#include "small_catalogue.hpp"

namespace tilestride {
namespace {

/// Where all threads meet, each with a number.
class MeetingPlace {
 public:
  explicit MeetingPlace(int count) : count_(count) {}

  double largest(double mine) {
    std::unique_lock lock(mutex_);
    long const round = round_;
    so_far_ = arrived_ == 0 ? mine : std::max(so_far_, mine);
    if (++arrived_ == count_) {
      arrived_ = 0;
      of_round_ = so_far_;
      ++round_;
      all_here_.notify_all();
    } else if (!all_here_.wait_for(lock, std::chrono::seconds(20), [&] { return round_ > round; })) {
      throw std::runtime_error("a rank waits for ever");
    }
    return of_round_;
  }

 private:
  int const count_;
  std::mutex mutex_;
  std::condition_variable all_here_;
  int arrived_ = 0;
  long round_ = 0;
  double so_far_ = 0, of_round_ = 0;
};

class ThreadRank : public Ranks {
 public:
  ThreadRank(MeetingPlace& place, int rank, int count) : place_(place), rank_(rank), count_(count) {}

  int rank() const override { return rank_; }
  int count() const override { return count_; }
  int local_rank() const override { return rank_; }
  void meet() override { place_.largest(0); }
  void in_step() override { place_.largest(0); }
  double largest(double mine) override { return place_.largest(mine); }
  std::string from_first(std::string text) override { return text; }
  std::vector<std::string> of_all(std::string const&) override { return {}; }
  double clock_offset() override { return 0; }
  bool moves_device_memory() const override { return false; }
  void exchange(Messages const&, Messages const&) override { throw std::logic_error("no messages here"); }

 private:
  MeetingPlace& place_;
  int rank_, count_;
};

/// `work(ranks)` on each of so many threads. What one of them throws fails the test.
template <class Work>
void on_ranks(int count, Work const& work) {
  MeetingPlace place(count);
  std::vector<std::thread> threads;
  for (int r = 0; r < count; ++r) {
    threads.emplace_back([&, r] {
      try {
        ThreadRank ranks(place, r, count);
        work(ranks);
      } catch (std::exception const& problem) {
        ADD_FAILURE() << "rank " << r << ": " << problem.what();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

/// What a rank sampled, with a clock of its own that says what `duration(entry, call)` says.
struct Seen {
  std::vector<Sampled> entries;
  std::vector<std::pair<std::size_t, long>> measured;  ///< entry and calls, in order
};

using Duration = std::function<double(std::size_t entry, std::size_t measurement)>;

Seen sampled(
    Ranks& ranks, bool one_by_one, std::vector<Sampling> const& samplings, Duration const& duration,
    std::function<void()> const& while_measuring = [] {}) {
  Seen seen;
  std::size_t entered = 0;
  std::vector<std::size_t> count(samplings.size());
  for (Sampling const& sampling : samplings) {
    Sampled& entry = seen.entries.emplace_back();
    entry.sampling = sampling;
    entry.run = [] {};
  }
  Clock const clock{"made up", [&](std::function<void()> const&, long calls) {
                      seen.measured.emplace_back(entered, calls);
                      while_measuring();
                      return duration(entered, count[entered]++);
                    }};
  sample_in_alternation(
      seen.entries, 0, clock, [] {}, [&](std::size_t i) { entered = i; }, 7, 0, turns_of(ranks, one_by_one));
  return seen;
}

Sampling until_known(int min_samples) { return {min_samples, 3600, 0.02, false}; }

TEST(RanksSample, TheSameCallsInTheSameOrderWhateverTheirSpeed) {
  for (bool const one_by_one : {false, true}) {
    std::vector<Seen> seen(3);
    on_ranks(3, [&](Ranks& ranks) {
      auto const own = static_cast<double>(ranks.rank() + 1);
      seen[static_cast<std::size_t>(ranks.rank())] =
          sampled(ranks, one_by_one, {until_known(5), until_known(9)}, [&, own](std::size_t entry, std::size_t n) {
            // Another speed on each rank; rank 1 knows the median of the first entry last.
            double const noise = ranks.rank() == 1 && entry == 0 ? static_cast<double>(n * 7919 % 101) / 100 : 0;
            return own * (entry == 0 ? 1e-6 : 3e-5) * (1 + noise);
          });
    });
    ASSERT_FALSE(HasFailure());  // a rank that threw has no samples
    ASSERT_EQ(seen[0].measured.size(), seen[2].measured.size());
    for (std::size_t r = 1; r < 3; ++r) {
      EXPECT_EQ(seen[r].measured, seen[0].measured);
      for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_EQ(seen[r].entries[i].samples.size(), seen[0].entries[i].samples.size());
        EXPECT_EQ(seen[r].entries[i].repetitions, seen[0].entries[i].repetitions);
      }
    }
    EXPECT_GT(seen[0].entries[0].samples.size(), 20u);  // as many as the rank that knows its median last
    EXPECT_LT(seen[0].entries[1].samples.size(), 20u);
    EXPECT_EQ(seen[0].entries[1].repetitions, 45);  // 4 ms / 90 us, of the slowest rank
  }
}

TEST(RanksSample, StopTogetherWhenOneIsOutOfTime) {
  std::vector<Seen> seen(2);
  on_ranks(2, [&](Ranks& ranks) {
    Sampling sampling = until_known(5);
    sampling.max_time = 0.05;
    sampling.spread = 1e-9;  // never known
    seen[static_cast<std::size_t>(ranks.rank())] = sampled(
        ranks, false, {sampling},
        [](std::size_t, std::size_t n) { return 1e-2 * (1 + 0.1 * static_cast<double>(n % 5)); },
        [&] { std::this_thread::sleep_for(std::chrono::milliseconds(ranks.rank() == 0 ? 1 : 8)); });
  });
  ASSERT_FALSE(HasFailure());  // a rank that threw has no samples
  EXPECT_EQ(seen[0].entries[0].samples.size(), seen[1].entries[0].samples.size());
  EXPECT_GE(seen[0].entries[0].samples.size(), 3u);
}

TEST(RanksSample, OneByOneInTheOrderOfTheirNumbers) {
  std::vector<Seen> seen(3);
  on_ranks(3, [&](Ranks& ranks) {
    seen[static_cast<std::size_t>(ranks.rank())] =
        sampled(ranks, true, {until_known(6)}, [](std::size_t, std::size_t) { return 1e-2; });
  });
  ASSERT_FALSE(HasFailure());  // a rank that threw has no samples
  for (std::size_t k = 0; k < seen[0].entries[0].samples.size(); ++k) {
    for (std::size_t r = 0; r + 1 < 3; ++r)
      EXPECT_LE(seen[r].entries[0].ends[k], seen[r + 1].entries[0].begins[k]) << "sample " << k;
    if (k > 0) {
      EXPECT_LE(seen[2].entries[0].ends[k - 1], seen[0].entries[0].begins[k]);
    }
  }
}

TEST(RanksSample, TogetherFromABeginThatAllHaveReached) {
  std::vector<Seen> seen(2);
  on_ranks(2, [&](Ranks& ranks) {
    seen[static_cast<std::size_t>(ranks.rank())] = sampled(
        ranks, false, {until_known(6)}, [](std::size_t, std::size_t) { return 1e-2; },
        [] { std::this_thread::sleep_for(std::chrono::milliseconds(5)); });
  });
  ASSERT_FALSE(HasFailure());  // a rank that threw has no samples
  for (std::size_t k = 1; k < seen[0].entries[0].samples.size(); ++k) {
    for (std::size_t r : {0u, 1u}) EXPECT_GE(seen[r].entries[0].begins[k], seen[1 - r].entries[0].ends[k - 1]);
  }
}

TEST(RanksSample, WhatComesBeforeASampleIsNotInItsWindow) {
  on_ranks(1, [](Ranks& ranks) {
    Sampled entry;
    entry.run = [] {};
    Clock const clock{"made up", [](std::function<void()> const&, long) { return 1.0; }};
    double prepared = 0;
    in_turn(turns_of(ranks, false), entry, clock, [&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
      prepared = std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
    });
    EXPECT_GE(entry.begins.at(0), prepared);
  });
}

TEST(RanksSample, ASampleThatIsTakenAgainIsSoOnAllAndHasOneWindow) {
  std::vector<Seen> seen(2);
  on_ranks(2, [&](Ranks& ranks) {
    seen[static_cast<std::size_t>(ranks.rank())] =
        sampled(ranks, false, {until_known(5)}, [&](std::size_t, std::size_t n) {
          return ranks.rank() == 1 && n < 3 ? 1.0 : 1e-5;  // the warm-up of rank 1 took a library's whole loading
        });
  });
  ASSERT_FALSE(HasFailure());  // a rank that threw has no samples
  EXPECT_EQ(seen[0].measured, seen[1].measured);
  for (Seen const& one : seen) {
    EXPECT_EQ(one.entries[0].begins.size(), one.entries[0].samples.size());
    EXPECT_EQ(one.entries[0].ends.size(), one.entries[0].samples.size());
    EXPECT_GE(one.entries[0].repetitions, 400);
  }
}

// ---- whole groups

thread_local int own_rank = 0;

/// What a variant does on rank 1.
enum class Fault { none, skips, refuses_memory, wrong_at_first, wrong_at_the_end, throws };

template <Fault fault>
Trial prepare_trial(Bench& bench, Case const&) {
  bool const here = own_rank == 1;
  if (fault == Fault::skips && here) return skipped(SkipReason::hardware, "no unit for it");
  if (fault == Fault::throws && here) throw std::runtime_error("it throws");
  auto const calls = std::make_shared<int>(0);
  Trial trial;
  trial.run = [calls] { ++*calls; };
  trial.verify = [calls, here] {
    bool const wrong = here && (fault == Fault::wrong_at_first || (fault == Fault::wrong_at_the_end && *calls > 3));
    return Check{!wrong, 1, wrong ? 1.0 : 0.0, "one element"};
  };
  static_cast<void>(bench);
  return trial;
}

using OfVariants = std::map<std::string, Result>;

/// A sound variant, the other, and a sound one again, on two ranks.
std::vector<OfVariants> measured_on_two(Prepare other, std::vector<bool>* sound = nullptr) {
  Catalogue catalogue{small_pattern("made_up", {Type::i32}, Figure::bandwidth, {},
                                    {small_variant("first"), small_variant("other"), small_variant("last")})};
  for (Variant& variant : catalogue[0].variants) variant.prepare = prepare_trial<Fault::none>;
  catalogue[0].variants[1].prepare = other;
  catalogue[0].work = [](Case const&) { return Work{1e6, 0, 0}; };
  std::vector<Case> cases;
  for (Variant const& variant : catalogue[0].variants) {
    Case c;
    c.pattern = &catalogue[0];
    c.variant = &variant;
    c.space = "serial";
    c.type = Type::i32;
    c.sampling.min_samples = 3;
    c.sampling.max_time = 0.05;
    cases.push_back(c);
  }
  std::vector<OfVariants> results(2);
  on_ranks(2, [&](Ranks& ranks) {
    own_rank = ranks.rank();
    Bench bench;
    bench.clock = {"made up", [](std::function<void()> const& run, long calls) {
                     for (long i = 0; i < calls; ++i) run();
                     return 1e-3 * (1 + own_rank);
                   }};
    bench.flush_caches = [] {};
    bench.device.cache_bandwidth = 1e12;
    auto const r = static_cast<std::size_t>(ranks.rank());
    Observer const observer{[](Case const&, Phase, double) {},
                            [&](Result const& result) { results[r][result.planned->variant->name] = result; }};
    PhaseTimes times;
    GroupSettings const settings{1, 0, turns_of(ranks, false), &ranks, 0.5};
    bool const done = measure_group(cases, bench, settings, observer, times);
    if (sound != nullptr) (*sound)[r] = done;
  });
  for (OfVariants& of_rank : results) {
    for (auto& [name, result] : of_rank) result.planned = nullptr;  // its catalogue is gone
  }
  return results;
}

TEST(RanksGroup, HaveEquallyManySamplesAndCalls) {
  auto const results = measured_on_two(prepare_trial<Fault::none>);
  for (char const* name : {"first", "other", "last"}) {
    Result const &a = results[0].at(name), &b = results[1].at(name);
    EXPECT_EQ(a.outcome, Outcome::passed) << a.reason;
    EXPECT_EQ(b.outcome, Outcome::passed) << b.reason;
    EXPECT_EQ(a.samples.size(), b.samples.size());
    EXPECT_EQ(a.repetitions, b.repetitions);
    ASSERT_EQ(a.begins.size(), a.samples.size());
    ASSERT_EQ(b.ends.size(), b.samples.size());
    for (std::size_t k = 0; k < a.samples.size(); ++k) {  // each window on rank 0's clock, and after the other's last
      EXPECT_LE(a.begins[k], a.ends[k]);
      if (k > 0) {
        EXPECT_GE(a.begins[k], b.ends[k - 1]);
      }
    }
  }
}

TEST(RanksGroup, WhatOneRankCannotRunNoneRuns) {
  for (Prepare const other : {prepare_trial<Fault::skips>, prepare_trial<Fault::wrong_at_first>}) {
    auto const results = measured_on_two(other);
    EXPECT_EQ(results[0].at("other").outcome, Outcome::not_run);
    EXPECT_EQ(results[0].at("other").reason, not_on_every_rank);
    EXPECT_NE(results[1].at("other").reason, not_on_every_rank);
    EXPECT_NE(results[1].at("other").outcome, Outcome::passed);
    for (OfVariants const& of_rank : results) {
      EXPECT_EQ(of_rank.at("first").outcome, Outcome::passed);
      EXPECT_EQ(of_rank.at("last").outcome, Outcome::passed);
    }
  }
}

TEST(RanksGroup, AVerdictAtTheEndIsOfItsRank) {
  auto const results = measured_on_two(prepare_trial<Fault::wrong_at_the_end>);
  EXPECT_EQ(results[1].at("other").outcome, Outcome::failed);
  EXPECT_EQ(results[0].at("other").outcome, Outcome::passed);  // its own figures are right; merging names rank 1
  for (OfVariants const& of_rank : results) EXPECT_EQ(of_rank.at("last").outcome, Outcome::passed);
}

}  // namespace
}  // namespace tilestride
