// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Results that nobody measured, for the tests of the report: a plan from a few lines of deck, and samples as a test
// needs them.

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "model/result.hpp"
#include "scratch_folder.hpp"
#include "small_catalogue.hpp"

namespace tilestride {

/// The small catalogue with every role in it: transpose/copy is a bound, transpose/vendor a library; and a pattern that
/// is told as a latency, with a native variant.
inline Catalogue const& made_up_catalogue() {
  static Catalogue const catalogue = [] {
    Catalogue made = make_small_catalogue();
    for (Variant& variant : made[0].variants) {
      if (variant.name == "copy") variant.role = Role::bound;
      if (variant.name == "vendor") variant.role = Role::library;
    }
    made.push_back(
        small_pattern("chase", {Type::i32, Type::f64}, Figure::latency,
                      {{"offset", KeyKind::integer, "0", {}, "from where", 0},
                       {"unroll", KeyKind::integer, "1", {}, "how many at once"},
                       {"width", KeyKind::integer, "4", {}, "of what only raw CUDA has a word for"}},
                      {small_variant("portable", {"unroll"}), small_variant("native", {"unroll"}).twin_of("portable"),
                       small_variant("lanes").only_on_devices("there are no lanes"),
                       small_variant("native_wide", {"unroll", "width"}).twin_of("portable")}));
    for (std::size_t const native : {1, 3}) made.back().variants[native].role = Role::native;
    made.back().published = {{"native", Type::i32, {{"offset", "3"}}, 1.5, "us", "a GPU"},
                             {"native", Type::i32, {{"offset", "4"}}, 0.9, "x", "a GPU", "native_wide"},
                             {"native", Type::i32, {{"offset", "5"}}, 16, "GB/s", "a link", "", true}};
    return made;
  }();
  return catalogue;
}

/// Plans `schema = 1` and the text after it, which must be right.
inline Plan made_up_plan(std::string const& text) {
  std::vector<Mistake> mistakes;
  Deck const deck = parse_deck("schema = 1\n" + text, "test.toml", mistakes);
  Plan plan = make_plan(deck, made_up_catalogue(), small_build(), "", mistakes);
  EXPECT_EQ(mistakes.empty() ? "" : describe(mistakes, deck), "");
  return plan;
}

inline Result without_figure(Case const& c, Outcome outcome, std::string reason) {
  Result result;
  result.planned = &c;
  result.outcome = outcome;
  result.reason = std::move(reason);
  return result;
}

/// A case that took `samples` seconds for `amount` bytes or flops, whichever its pattern counts.
inline Result passed(Case const& c, std::vector<double> samples, double amount = 1e9, std::string session = "") {
  Result result;
  result.planned = &c;
  result.outcome = Outcome::passed;
  result.samples = std::move(samples);
  result.session = std::move(session);
  result.repetitions = 1;
  result.clock = "steady_clock";
  switch (c.pattern->figure) {
    case Figure::bandwidth: result.work.bytes = amount; break;
    case Figure::compute: result.work.flops = amount; break;
    case Figure::latency: result.work.operations = amount; break;
  }
  return result;
}

/// Twenty times the same: an interval of no width.
inline std::vector<double> steady(double seconds) { return std::vector<double>(20, seconds); }

/// Rounds in which the machine is as much as twice slower, for all that is measured in them.
inline std::vector<double> drifting(double seconds) {
  std::vector<double> samples;
  for (int round = 0; round < 24; ++round) samples.push_back(seconds * (1 + 0.125 * (5 * round % 8)));
  return samples;
}

}  // namespace tilestride
