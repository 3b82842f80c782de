// SPDX-License-Identifier: BSD-3-Clause

// What a profiler sees of a made-up trial, which keeps a list of all that happens.

#include "measure/profile.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "small_catalogue.hpp"

namespace tilestride {
namespace {

std::vector<std::string>& happened() {
  static std::vector<std::string> list;
  return list;
}

std::function<void()> noting(std::string const& what) {
  return [what] { happened().emplace_back(what); };
}

Trial prepare_noting(Bench&, Case const&) {
  Trial trial;
  trial.before = noting("before");
  trial.run = noting("run");
  trial.after = noting("after");
  trial.verify = [] { return Check{true}; };
  return trial;
}

TEST(Profile, IsOfTheCallAlone) {
  Pattern pattern = small_pattern("noting", {Type::i32}, Figure::bandwidth, {}, {small_variant("only")});
  pattern.variants[0].prepare = prepare_noting;
  Case c;
  c.pattern = &pattern;
  c.variant = &pattern.variants[0];
  c.space = "serial";
  c.type = Type::i32;
  auto const open_bench = [](std::string const&) {
    Bench bench;
    bench.clock = {"made up", [](std::function<void()> const& run, long) {
                     run();
                     return 1e-3;
                   }};
    bench.profiler = [](bool on) { happened().emplace_back(on ? "profiler on" : "profiler off"); };
    return bench;
  };
  happened().clear();
  Profiled const count = profile_cases({c}, open_bench);
  EXPECT_EQ(count.verified, 1u);
  EXPECT_EQ(happened(), (std::vector<std::string>{"before", "profiler on", "run", "profiler off", "after"}));
}

}  // namespace
}  // namespace tilestride
