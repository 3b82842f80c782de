// SPDX-License-Identifier: BSD-3-Clause

// The verdict on made-up kernels over two arrays of the host, each wrong in its own way. The clock is made up as well,
// so nothing here depends on the machine.

#include "measure/group.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <stdexcept>
#include <string>

#include "small_catalogue.hpp"

namespace tilestride {
namespace {

constexpr std::size_t n = 64;

/// out[i] = 2 in[i], between two guards.
struct Doubling {
  std::array<int, n> in{};
  std::array<int, n + 1> out{};  ///< the last one is a guard
  long calls = 0;

  void fill() { std::iota(in.begin(), in.end(), 1); }
  void poison() { std::fill(out.begin(), out.end(), -1); }
  void run() {
    ++calls;
    for (std::size_t i = 0; i < n; ++i) out[i] = 2 * in[i];
  }
  Check verify() const {
    Check check{true, n, 0, "every element"};
    for (std::size_t i = 0; i < n; ++i) check.wrong += out[i] != 2 * static_cast<int>(i + 1);
    check.passed = check.wrong == 0;
    return check;
  }
  Check input_intact() const {
    for (std::size_t i = 0; i < n; ++i) {
      if (in[i] != static_cast<int>(i + 1)) return {false, n, 1, "input in must stay as it was"};
    }
    return {true};
  }
};

/// `kernel` changes what a right call has left; `calls` counts from 1.
using Wrong = void (*)(Doubling&);

template <Wrong wrong>
Trial prepare_doubling(Bench& bench, Case const&) {
  std::shared_ptr<void>& made = bench.problems[typeid(Doubling)];
  if (made == nullptr) {
    auto const one = std::make_shared<Doubling>();
    one->fill();
    made = one;
  }
  auto const p = std::static_pointer_cast<Doubling>(made);
  auto const calls = std::make_shared<long>(0);
  Trial trial;
  trial.run = [p, calls] {
    p->calls = ++*calls;
    if constexpr (wrong == nullptr)
      p->run();
    else
      wrong(*p);
  };
  trial.verify = [p] { return p->verify(); };
  trial.buffers = std::make_shared<Buffers>(Buffers{
      {"in", Buffer::Role::input, p->in.data(), sizeof p->in, [p] { p->fill(); }, [p] { return p->input_intact(); }},
      {"out", Buffer::Role::output, p->out.data(), n * sizeof(int), [p] { p->poison(); },
       [p] {
         return Check{p->out[n] == -1, 0, 0, "writes past an end of buffer out"};
       }},
  });
  return trial;
}

void nothing(Doubling&) {}
void last_missing(Doubling& p) {
  int const was = p.out[n - 1];
  p.run();
  p.out[n - 1] = was;
}
void half_per_call(Doubling& p) {
  for (std::size_t i = p.calls % 2; i < n; i += 2) p.out[i] = 2 * p.in[i];
}
void right_once(Doubling& p) {
  if (p.calls == 1) {
    p.run();
    p.calls = 1;
  }
}
void past_the_end(Doubling& p) {
  p.run();
  p.out[n] = 7;
}
void alters_its_input(Doubling& p) {
  p.run();
  p.in[3] = 0;
}
void alters_its_input_later(Doubling& p) {
  p.run();
  if (p.calls > 2) p.in[3] = 0;
}
void swapped(Doubling& p) {
  p.run();
  std::swap(p.out[0], p.out[1]);
}

Trial prepare_with_failing_probe(Bench& bench, Case const& c) {
  Trial trial = prepare_doubling<nullptr>(bench, c);
  trial.probe = [] { return Check{false, 1, 1, "probe: not through scratch"}; };
  return trial;
}

/// What the deck asks for and the bench has.
struct Metering {
  bool asked = false;
  EnergyCounter joules{};
  std::string why_none{};
};

/// The results by variant, of a sound kernel and of another one beside it; a call takes `seconds`.
std::map<std::string, Result> measured(Prepare other, double seconds = 1e-3, Metering const& metering = {}) {
  static Catalogue catalogue;
  catalogue.clear();
  Pattern pattern =
      small_pattern("doubling", {Type::i32}, Figure::bandwidth, {}, {small_variant("sound"), small_variant("other")});
  pattern.variants[0].prepare = prepare_doubling<nullptr>;
  pattern.variants[1].prepare = other;
  pattern.work = [](Case const&) { return Work{1e6, 0, 0}; };
  catalogue.push_back(pattern);
  std::vector<Case> cases;
  for (Variant const& variant : catalogue.front().variants) {
    Case c;
    c.pattern = &catalogue.front();
    c.variant = &variant;
    c.space = "serial";
    c.type = Type::i32;
    c.sampling.min_samples = 3;
    c.sampling.max_time = 0.05;
    c.sampling.energy = metering.asked;
    cases.push_back(c);
  }
  Bench bench;
  bench.clock = {"made up", [seconds](std::function<void()> const& run, long calls) {
                   for (long i = 0; i < calls; ++i) run();
                   return seconds;
                 }};
  bench.flush_caches = [] {};
  bench.energy = metering.joules;
  bench.why_no_energy = metering.why_none;
  bench.device.cache_bandwidth = 1e12;
  std::map<std::string, Result> results;
  Observer const observer{[](Case const&, Phase, double) {},
                          [&](Result const& result) { results[result.planned->variant->name] = result; }};
  PhaseTimes times;
  measure_group(cases, bench, {}, observer, times);
  return results;
}

void expect_caught(Prepare prepare, std::string const& reason) {
  auto const results = measured(prepare);
  EXPECT_EQ(results.at("sound").outcome, Outcome::passed) << results.at("sound").reason;
  EXPECT_EQ(results.at("other").outcome, Outcome::failed);
  EXPECT_NE(results.at("other").reason.find(reason), std::string::npos) << results.at("other").reason;
  EXPECT_TRUE(results.at("other").samples.empty());
}

TEST(Verdict, PassesWhatIsRight) {
  for (auto const& [name, result] : measured(prepare_doubling<nullptr>)) {
    EXPECT_EQ(result.outcome, Outcome::passed) << name << ": " << result.reason;
    EXPECT_GE(result.samples.size(), 4u);
    EXPECT_TRUE(result.flags.empty());
  }
}

/// With a ceiling at half of the kernels' rate: a call of it copies half as many bytes.
Trial prepare_beside_a_slow_copy(Bench& bench, Case const& c) {
  Trial trial = prepare_doubling<nullptr>(bench, c);
  bench.yardsticks = {{"copy", 0.5e6, [] {}}};
  return trial;
}

TEST(Verdict, SaysWhatACaseAboveItsCeilingIsFasterThan) {
  for (auto const& [name, result] : measured(prepare_beside_a_slow_copy)) {
    ASSERT_EQ(result.flags.size(), 1u) << name;
    EXPECT_EQ(result.flags.front(), "above 100 %: faster than memcpy beside it");
  }
}

TEST(Verdict, SeesWhatOneCallDoesNotWrite) {
  expect_caught(prepare_doubling<nothing>, "every element");
  expect_caught(prepare_doubling<last_missing>, "every element");
}

TEST(Verdict, IsOnOneCallAlone) { expect_caught(prepare_doubling<half_per_call>, "every element"); }

TEST(Verdict, IsHeldAgainAfterTheSamples) { expect_caught(prepare_doubling<right_once>, "every element"); }

TEST(Verdict, SeesAValueInTheWrongPlace) { expect_caught(prepare_doubling<swapped>, "every element"); }

TEST(Verdict, SeesWritesPastTheEnd) { expect_caught(prepare_doubling<past_the_end>, "past an end of buffer out"); }

TEST(Verdict, BlamesTheVariantThatAltersItsInput) { expect_caught(prepare_doubling<alters_its_input>, "input in"); }

TEST(Verdict, FindsOutWhoAlteredTheInputWhileAllWereSampled) {
  expect_caught(prepare_doubling<alters_its_input_later>, "input in");
  auto const results = measured(prepare_doubling<alters_its_input_later>);
  ASSERT_EQ(results.at("sound").flags.size(), 1u);
  EXPECT_EQ(results.at("sound").flags.front(), "an input was altered while this was sampled");
}

TEST(Verdict, HearsTheProbe) { expect_caught(prepare_with_failing_probe, "probe: not through scratch"); }

TEST(Verdict, MeasuresEnergyWhereItIsAskedFor) {
  double joules = 0;
  auto const counter = [&joules] { return joules += 0.5; };
  for (auto const& [name, result] : measured(prepare_doubling<nullptr>, 1e-3, {true, counter, ""})) {
    ASSERT_TRUE(result.energy) << name;
    EXPECT_GT(result.energy->joules, 0);
    EXPECT_GT(result.energy->watts, 0);
    EXPECT_EQ(result.notes.count("energy"), 0u);
  }
  for (auto const& [name, result] : measured(prepare_doubling<nullptr>, 1e-3, {false, counter, ""}))
    EXPECT_FALSE(result.energy) << name;
}

TEST(Verdict, SaysWhyThereIsNoEnergy) {
  auto const broken = []() -> double { throw std::runtime_error("no counter of this device"); };
  for (auto const& metering : {Metering{true, {}, "no counter of this host"}, Metering{true, broken, ""}}) {
    for (auto const& [name, result] : measured(prepare_doubling<nullptr>, 1e-3, metering)) {
      EXPECT_EQ(result.outcome, Outcome::passed) << result.reason;
      EXPECT_FALSE(result.energy);
      EXPECT_NE(result.notes.at("energy").find("no counter of this"), std::string::npos) << name;
    }
  }
}

TEST(Verdict, TakesATimeForAnErrorThatNoMachineReaches) {
  for (auto const& [name, result] : measured(prepare_doubling<nullptr>, 1e-8)) {  // 100 TB/s
    EXPECT_EQ(result.outcome, Outcome::error) << name;
    EXPECT_NE(result.reason.find("caches can move"), std::string::npos) << result.reason;
  }
}

}  // namespace
}  // namespace tilestride
