// SPDX-License-Identifier: BSD-3-Clause

// Every pattern that runs on a host, with faults around its kernels that no verdict may pass.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "deck/deck.hpp"
#include "measure/group.hpp"
#include "measure/verdict.hpp"
#include "patterns/catalogue.hpp"
#include "plan/plan.hpp"
#include "portable/bench.hpp"

namespace tilestride {
namespace {

/// The patterns that run on hosts, as small problems. What is not named has its defaults.
std::map<std::string, std::string> const keys{
    {"stream", "op = [\"copy\", \"triad\", \"dot\"]\nbytes = \"1000 B\"\n"},
    {"staged_copy", "bytes = \"1000 B\"\n"},
    {"offset_copy", "bytes = \"1000 B\"\n"},
    {"stride_copy", "bytes = \"1000 B\"\n"},
    {"transpose", "shape = \"33x20\"\n"},
    {"matmul", "shape = \"20x33x17\"\n"},
    {"aat", "shape = \"20x17\"\n"},
    {"tile_access", "shape = \"8x4\"\nrepeat = 3\n"},
    {"bank_stride", "op = [\"load\", \"store\"]\nrepeat = 3\n"},
    {"reduce", "bytes = \"1000 B\"\n"},
    {"stencil", "bytes = \"1000 B\"\n"},
    {"latency", "bytes = \"1 KiB\"\n"},
    {"occupancy", "live = 8\n"},
    {"bandwidth", "bytes = \"1024 B\"\npasses = 2\n"},
    {"launch", "threads = 1000\nteam = 10\nop = [\"nothing\", \"load\"]\n"},
    {"steps", "passes = 3\n"},
    {"tiles", "bytes = \"4000 B\"\npitch = 33\n"},
    {"fences", "after = [\"nothing\", \"store\"]\n"},
};

Plan plan_of(Pattern const& pattern) {
  auto const found = keys.find(pattern.name);
  std::string const text = "schema = 1\n[[case]]\npattern = \"" + pattern.name + "\"\nspace = \"serial\"\n" +
                           (found == keys.end() ? "" : found->second);
  std::vector<Mistake> mistakes;
  Deck const deck = parse_deck(text, "faults", mistakes);
  Build build;
  build.spaces = {"serial"};
  build.default_space = "serial";
  Plan plan = make_plan(deck, catalogue(), build, "", mistakes);
  EXPECT_TRUE(mistakes.empty()) << pattern.name << ": " << describe(mistakes, deck);
  return plan;
}

struct Fault {
  std::string name;
  std::function<void()> after;  ///< a right call
};

unsigned char* byte_of(Buffer const& buffer, double at) {
  return static_cast<unsigned char*>(buffer.data) + static_cast<std::ptrdiff_t>(at);
}

/// A change of the byte that holds an element's exponent, or the sign of an integer.
void spoil(Buffer const& buffer, std::int64_t element, std::int64_t size) {
  *byte_of(buffer, static_cast<double>((element + 1) * size - 1)) ^= 0x41;
}

std::vector<Fault> faults_of(Buffers const& buffers, std::int64_t size) {
  std::vector<Fault> faults;
  for (Buffer const& buffer : buffers) {
    if (buffer.bytes == 0) continue;
    std::int64_t const count = static_cast<std::int64_t>(buffer.bytes) / size;
    std::string const where = " of " + buffer.name;
    faults.push_back({"past the end" + where, [&buffer] { *byte_of(buffer, buffer.bytes) ^= 1; }});
    faults.push_back({"before the beginning" + where, [&buffer] { *byte_of(buffer, -1) ^= 1; }});
    if (buffer.role == Buffer::Role::work) continue;
    for (std::int64_t const element : {std::int64_t(0), count / 2, count - 1})
      faults.push_back(
          {"element " + std::to_string(element) + where, [&buffer, element, size] { spoil(buffer, element, size); }});
    if (buffer.role == Buffer::Role::input) continue;
    faults.push_back({"NaN" + where, [&buffer, count, size] {
                        std::memset(byte_of(buffer, static_cast<double>((count - 1) * size)), 0xff,
                                    static_cast<std::size_t>(size));
                      }});
    faults.push_back({"the last 64 bytes" + where, [&buffer, count, size] {
                        for (std::int64_t i = std::max<std::int64_t>(0, count - 64 / size); i < count; ++i)
                          spoil(buffer, i, size);
                      }});
    faults.push_back({"two elements exchanged" + where, [&buffer, count, size] {
                        unsigned char* const first = byte_of(buffer, 0);
                        unsigned char* const last = byte_of(buffer, static_cast<double>((count - 1) * size));
                        if (std::memcmp(first, last, static_cast<std::size_t>(size)) == 0) spoil(buffer, 0, size);
                        std::swap_ranges(first, first + size, last);
                      }});
  }
  return faults;
}

class EveryPattern : public testing::TestWithParam<std::string> {};

TEST_P(EveryPattern, IsJudgedWrongWithAnyFault) {
  Pattern const& pattern =
      *std::find_if(catalogue().begin(), catalogue().end(), [](Pattern const& p) { return p.name == GetParam(); });
  Plan const plan = plan_of(pattern);
  int judged = 0;
  for (Case const& planned : plan.cases) {
    if (planned.skip) continue;
    Bench bench = open_bench("serial");
    Case const c = on_device(planned, bench.device);
    Trial const trial = c.variant->prepare(bench, c);
    if (trial.skip) continue;
    ++judged;
    auto const call_then = [&](std::function<void()> const& fault) {
      return [&trial, &bench, fault] {
        (trial.clock.time ? trial.clock : bench.clock).time(trial.run, 1);
        fault();
      };
    };
    auto const sound = [&] { return verdict_on_one_call(trial, call_then([] {})); };
    Check const right = sound();
    ASSERT_TRUE(right.passed) << c.name() << ": " << right.detail;
    if (trial.probe) {
      Check const probe = trial.probe();
      EXPECT_TRUE(probe.passed) << c.name() << ": " << probe.detail;
      EXPECT_TRUE(surroundings(trial).passed) << c.name() << ": after its probe";
    }
    EXPECT_FALSE(verdict_on_one_call(trial, [] {}).passed) << c.name() << ": nothing was written";
    for (Fault const& fault : faults_of(*trial.buffers, size_of(c.type))) {
      EXPECT_FALSE(verdict_on_one_call(trial, call_then(fault.after)).passed) << c.name() << ": " << fault.name;
      Check const after = sound();
      ASSERT_TRUE(after.passed) << c.name() << ": after " << fault.name << ": " << after.detail;
    }
  }
  EXPECT_EQ(judged > 0, keys.count(GetParam()) != 0) << judged << " variants run on a host";
}

std::vector<std::string> names() {
  std::vector<std::string> names;
  for (Pattern const& pattern : catalogue()) names.push_back(pattern.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Catalogue, EveryPattern, testing::ValuesIn(names()),
                         [](auto const& pattern) { return pattern.param; });

}  // namespace
}  // namespace tilestride
