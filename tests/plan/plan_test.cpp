// SPDX-License-Identifier: BSD-3-Clause
#include "plan/plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "small_catalogue.hpp"

namespace tilestride {
namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;
using Indices = std::vector<std::size_t>;

struct Planned {
  Deck deck;
  Plan plan;
  std::vector<Mistake> mistakes;

  std::string said() const { return mistakes.empty() ? "" : describe(mistakes, deck); }
};

/// Plans `schema = 1` and the text after it.
Planned planned(std::string const& text, std::string const& only = "", Names const& settings = {}) {
  Planned p;
  p.deck = parse_deck("schema = 1\n" + text, "test.toml", p.mistakes);
  for (std::string const& setting : settings) set_in_deck(p.deck, setting, p.mistakes);
  p.plan = make_plan(p.deck, small_catalogue(), small_build(), only, p.mistakes);
  return p;
}

Plan plan_of(std::string const& text, std::string const& only = "", Names const& settings = {}) {
  Planned p = planned(text, only, settings);
  EXPECT_EQ(p.said(), "");
  return std::move(p.plan);
}

Names names_of(Plan const& plan) {
  Names names;
  for (Case const& c : plan.cases) names.push_back(c.name());
  return names;
}

/// Comparisons as names: "a, b : c".
Names comparisons_of(Plan const& plan, std::size_t rule) {
  auto const joined = [&](Indices const& indices) {
    std::string text;
    for (std::size_t const i : indices) text += (text.empty() ? "" : ", ") + plan.cases.at(i).name();
    return text;
  };
  Names comparisons;
  for (Comparison const& comparison : plan.rules.at(rule).comparisons)
    comparisons.push_back(joined(comparison.cases) + " : " + joined(comparison.of));
  return comparisons;
}

// ---- multiplication, names, groups

TEST(Plan, MultipliesProblemsOutsideAndSolutionsInside) {
  Plan const plan = plan_of(R"(
[[case]]
pattern = "transpose"
space   = ["serial", "openmp"]
variant = ["copy", "padded"]
type    = ["f64", "f32"]
shape   = ["64x64", "8 x 4"]
tile    = [32, 8]
)");
  Names expected;
  for (std::string const space : {"serial", "openmp"})
    for (std::string const type : {"f64", "f32"})
      for (std::string const shape : {"64x64", "8x4"})
        for (std::string const way : {"copy//", "padded//tile=32", "padded//tile=8"}) {
          auto const cut = way.find("//");
          std::string const tile = way.substr(cut + 2);
          expected.push_back("transpose/" + way.substr(0, cut) + "/" + space + "/" + type + "/" + shape +
                             (tile.empty() ? "" : "/" + tile));
        }
  EXPECT_EQ(names_of(plan), expected);
  ASSERT_EQ(plan.groups.size(), 8u);
  for (std::size_t g = 0; g < 8; ++g) EXPECT_EQ(plan.groups[g], (Indices{3 * g, 3 * g + 1, 3 * g + 2}));
}

TEST(Plan, NamesCasesAsTheDesignSays) {
  Plan const plan = plan_of(R"(
[[case]]
pattern = "transpose"
space   = "cuda"
variant = "padded"
)");
  EXPECT_EQ(names_of(plan), (Names{"transpose/padded/cuda/f32/4096x4096/tile=32"}));
  EXPECT_EQ(plan.cases[0].problem(), "transpose/cuda/f32/4096x4096");
}

TEST(Plan, PutsSharedKeysBeforeTheVariantsOwn) {
  Plan const plan = plan_of(R"(
[[case]]
pattern = "matmul"
variant = "registers"
block   = [32, 16]
unroll  = [2, 4]
shape   = "8x8x8"
)");
  EXPECT_EQ(names_of(plan), (Names{"matmul/registers/openmp/f64/8x8x8/block=32/unroll=2",
                                   "matmul/registers/openmp/f64/8x8x8/block=32/unroll=4",
                                   "matmul/registers/openmp/f64/8x8x8/block=16/unroll=2",
                                   "matmul/registers/openmp/f64/8x8x8/block=16/unroll=4"}));
}

TEST(Plan, FillsInDefaults) {
  Plan const plan = plan_of("[[case]]\npattern = \"overlap\"\n");
  EXPECT_EQ(names_of(plan), (Names{"overlap/serial/openmp/f64/op=copy/bytes=64MiB",
                                   "overlap/three_stage/openmp/f64/op=copy/bytes=64MiB/streams=4",
                                   "overlap/kokkos_instances/openmp/f64/op=copy/bytes=64MiB/streams=4"}));
  EXPECT_EQ(plan.groups, (std::vector<Indices>{{0, 1, 2}}));
  EXPECT_EQ(plan.run.title, "");
  EXPECT_EQ(plan.run.budget, 0);
  EXPECT_EQ(plan.run.seed, 1);
  EXPECT_TRUE(plan.cases[0].sampling == Sampling{});
  EXPECT_EQ(plan.cases[0].sampling.min_samples, 10);
  EXPECT_EQ(plan.cases[0].sampling.max_time, 2);
  EXPECT_EQ(plan.cases[0].sampling.spread, 0.005);
  EXPECT_FALSE(plan.cases[0].sampling.cold);
  EXPECT_TRUE(plan.rules.empty());
}

TEST(Plan, GivesEveryCaseItsValues) {
  Plan const plan =
      plan_of("[[case]]\npattern = \"matmul\"\nvariant = [\"simple\", \"shared\"]\nshape = \"3x4x5\"\nblock = 64\n");
  ASSERT_EQ(plan.cases.size(), 2u);
  EXPECT_EQ(plan.cases[0].shape(), (std::array<std::int64_t, 3>{3, 4, 5}));
  EXPECT_EQ(plan.cases[0].find("block"), nullptr);
  EXPECT_EQ(plan.cases[1].integer("block"), 64);
  EXPECT_EQ(plan.cases[1].find("unroll"), nullptr);
  EXPECT_EQ(plan.cases[1].variant, small_catalogue()[1].find_variant("shared"));
  EXPECT_EQ(plan_of("[[case]]\npattern = \"overlap\"\nop = \"triad\"\n").cases[0].choice("op"), "triad");
}

TEST(Run, RequiresTheSpacesThatItNames) {
  std::string const one_case = "[[case]]\npattern = \"transpose\"\nvariant = \"copy\"\n";
  Plan const plan = plan_of("[run]\nrequire = [\"cuda\", \"openmp\"]\n" + one_case);
  EXPECT_EQ(plan.run.require, (Names{"cuda", "openmp"}));
  EXPECT_NE(plan.resolved.find("\nrequire = [\"cuda\", \"openmp\"] "), std::string::npos) << plan.resolved;
  EXPECT_NE(plan.resolved.find("# test.toml:3\n\n[sampling]"), std::string::npos) << plan.resolved;
  EXPECT_EQ(plan_of("[run]\nrequire = \"hip\"\n" + one_case).run.require, (Names{"hip"}));
  EXPECT_EQ(plan_of(one_case, "", {"run.require=[\"cuda\"]"}).run.require, (Names{"cuda"}));
}

TEST(Run, RequiresNothingUnlessItSaysSo) {
  Plan const plan = plan_of("[run]\nseed = 2\n[[case]]\npattern = \"transpose\"\nvariant = \"copy\"\n");
  EXPECT_TRUE(plan.run.require.empty());
  EXPECT_EQ(plan.resolved.find("require"), std::string::npos) << plan.resolved;
}

TEST(Run, CleansTheEnvironmentOfWorkersIfItSaysSo) {
  std::string const one_case = "[[case]]\npattern = \"transpose\"\nvariant = \"copy\"\n";
  EXPECT_FALSE(plan_of(one_case).run.clean_environment);
  Plan const plan = plan_of("[run]\nclean_environment = true\n" + one_case);
  EXPECT_TRUE(plan.run.clean_environment);
  EXPECT_NE(plan.resolved.find("\nclean_environment = true "), std::string::npos) << plan.resolved;
  EXPECT_TRUE(plan_of(one_case, "", {"run.clean_environment=true"}).run.clean_environment);
  EXPECT_EQ(planned("[run]\nclean_environment = \"yes\"\n" + one_case).said(),
            "test.toml:3:21: error: run.clean_environment: expected true or false\n    clean_environment = "
            "\"yes\"\n                        ^\n1 mistake in test.toml\n");
}

TEST(Plan, TakesSamplingFromTheSectionAndTheCase) {
  Plan const plan = plan_of(R"(
[sampling]
min_samples = 20
max_time    = "3 s"
[[case]]
pattern     = "transpose"
variant     = "copy"
[[case]]
pattern     = "transpose"
variant     = "row_read"
max_time    = "1 min"
spread      = 0.02
cache       = "cold"
)");
  ASSERT_EQ(plan.cases.size(), 2u);
  EXPECT_TRUE(plan.cases[0].sampling == (Sampling{20, 3, 0.005, false}));
  EXPECT_TRUE(plan.cases[1].sampling == (Sampling{20, 60, 0.02, true}));
}

TEST(Plan, TheOrderOfSectionsInTheDeckDoesNotMatter) {
  Plan const plan =
      plan_of("[[case]]\npattern = \"transpose\"\nvariant = \"copy\"\n[sampling]\nmin_samples = 20\n[run]\nseed = 9\n");
  EXPECT_EQ(plan.cases[0].sampling.min_samples, 20);
  EXPECT_EQ(plan.run.seed, 9);
}

TEST(Plan, SharesAGroupBetweenBlocksOfOneProblem) {
  Plan const plan = plan_of(R"(
[[case]]
pattern = "transpose"
variant = "copy"
shape   = ["64x64", "8x8"]
[[case]]
pattern = "matmul"
variant = "simple"
[[case]]
pattern  = "transpose"
variant  = ["padded", "copy"]
shape    = "8x8"
)");
  EXPECT_EQ(names_of(plan), (Names{"transpose/copy/openmp/f32/64x64", "transpose/copy/openmp/f32/8x8",
                                   "matmul/simple/openmp/f64/512x512x512", "transpose/padded/openmp/f32/8x8/tile=32"}));
  EXPECT_EQ(plan.groups, (std::vector<Indices>{{0}, {1, 3}, {2}}));
}

TEST(Plan, KeepsWarmAndColdApart) {
  Plan const plan = plan_of(R"(
[[case]]
pattern = "transpose"
variant = "copy"
[[case]]
pattern = "transpose"
variant = "copy"
cache   = "cold"
)");
  EXPECT_EQ(names_of(plan),
            (Names{"transpose/copy/openmp/f32/4096x4096", "transpose/copy/openmp/f32/4096x4096/cache=cold"}));
  EXPECT_EQ(plan.groups, (std::vector<Indices>{{0}, {1}}));
}

TEST(Plan, MeasuresOverlappingBlocksOnce) {
  Plan const plan = plan_of(R"(
[[case]]
pattern = "transpose"
variant = ["copy", "padded"]
tile    = [8, 16]
[[case]]
pattern = "transpose"
variant = ["padded", "tiled"]
tile    = [16, 32]
)");
  Names const names = names_of(plan);
  EXPECT_EQ(names.size(), 6u);
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), 6u);
  EXPECT_EQ(plan.groups, (std::vector<Indices>{{0, 1, 2, 3, 4, 5}}));
}

TEST(Plan, RefusesOverlappingBlocksOfOtherSampling) {
  std::string const said = planned(R"([[case]]
pattern = "transpose"
variant = ["copy", "padded"]
[[case]]
pattern  = "transpose"
variant  = "copy"
max_time = "9 s"
)")
                               .said();
  EXPECT_NE(said.find("test.toml:5:1: error: case[1]: transpose/copy/openmp/f32/4096x4096 stands in an earlier "
                      "[[case]] with other sampling"),
            std::string::npos)
      << said;
}

TEST(Plan, SkipsSpacesThatAreNotInTheBuild) {
  Plan const plan =
      plan_of("[[case]]\npattern = \"transpose\"\nvariant = \"copy\"\nspace = [\"cuda\", \"serial\", \"hip\"]\n");
  ASSERT_EQ(plan.cases.size(), 3u);
  EXPECT_NE(plan.cases[0].skip.value().words.find("no program here has space cuda"), std::string::npos);
  EXPECT_EQ(plan.cases[0].skip.value().reason, SkipReason::not_built);
  EXPECT_FALSE(plan.cases[1].skip);
  EXPECT_TRUE(plan.cases[2].skip);
  EXPECT_EQ(plan.groups.size(), 3u);
}

TEST(Plan, KeepsSharesOfTheMemoryAsShares) {
  Plan const plan = plan_of(
      "[[case]]\npattern = \"overlap\"\nvariant = \"serial\"\nbytes = [\"25 %\", \"100%\", 4096, \"1.5 KiB\"]\n");
  EXPECT_EQ(names_of(plan),
            (Names{"overlap/serial/openmp/f64/op=copy/bytes=25%", "overlap/serial/openmp/f64/op=copy/bytes=100%",
                   "overlap/serial/openmp/f64/op=copy/bytes=4KiB", "overlap/serial/openmp/f64/op=copy/bytes=1536B"}));
  EXPECT_EQ(plan.cases[0].find("bytes")->percent, 25);
  EXPECT_EQ(plan.cases[0].integer("bytes"), 0);
  EXPECT_EQ(plan.cases[2].find("bytes")->percent, 0);
}

// ---- ranges

std::vector<std::int64_t> values_of(std::string const& key, std::string const& range) {
  Plan const plan =
      plan_of("[[case]]\npattern = \"overlap\"\nvariant = \"three_stage\"\n" + key + " = " + range + "\n");
  std::vector<std::int64_t> values;
  for (Case const& c : plan.cases) values.push_back(c.integer(key));
  return values;
}

TEST(Ranges, IncludeTheirEndsWhereTheyMeetThem) {
  using V = std::vector<std::int64_t>;
  EXPECT_EQ(values_of("streams", "{ from = 1, to = 64, times = 2 }"), (V{1, 2, 4, 8, 16, 32, 64}));
  EXPECT_EQ(values_of("streams", "{ from = 3, to = 40, times = 3 }"), (V{3, 9, 27}));
  EXPECT_EQ(values_of("streams", "{ from = 1, to = 9, step = 2 }"), (V{1, 3, 5, 7, 9}));
  EXPECT_EQ(values_of("streams", "{ from = 1, to = 8, step = 3 }"), (V{1, 4, 7}));
  EXPECT_EQ(values_of("streams", "{ from = 5, to = 5, times = 2 }"), (V{5}));
  EXPECT_EQ(values_of("streams", "{ from = 5, to = 6, step = 100 }"), (V{5}));
  EXPECT_EQ(values_of("streams", "{ times = 4, to = 20, from = 1 }"), (V{1, 4, 16}));
}

TEST(Ranges, TakeUnits) {
  using V = std::vector<std::int64_t>;
  EXPECT_EQ(values_of("bytes", "{ from = \"1 KiB\", to = \"1 MiB\", times = 32 }"), (V{1024, 32768, 1048576}));
  EXPECT_EQ(values_of("bytes", "{ from = \"1 MiB\", to = \"2 MiB\", step = \"512 KiB\" }"),
            (V{1 << 20, 3 << 19, 2 << 20}));
  EXPECT_EQ(values_of("bytes", "{ from = 8, to = \"32 B\", times = 2 }"), (V{8, 16, 32}));
}

TEST(Ranges, DoNotOverflow) {
  std::vector<std::int64_t> const powers = values_of("streams", "{ from = 1, to = 9223372036854775807, times = 2 }");
  EXPECT_EQ(powers.size(), 63u);
  EXPECT_EQ(powers.back(), 1ll << 62);
  EXPECT_EQ(values_of("streams", "{ from = 9223372036854775806, to = 9223372036854775807, step = 1 }").size(), 2u);
}

TEST(Ranges, MayBeInlineTablesOfChoices) {
  EXPECT_EQ(
      names_of(
          plan_of("[[case]]\npattern = \"transpose\"\nvariant = \"tiled\"\ntile = { from = 8, to = 32, times = 2 }\n"))
          .size(),
      3u);
}

TEST(Plan, RefusesMoreCasesThanMakeAPlan) {
  std::string const block =
      "[[case]]\npattern = \"overlap\"\nvariant = \"three_stage\"\nstreams = { from = 1, to = 10000, step = 1 }\n";
  std::string const said = planned(block + "bytes = { from = 8, to = 8000, step = 8 }\n").said();
  EXPECT_NE(said.find("10000000 cases"), std::string::npos) << said;
  EXPECT_EQ(planned("[[case]]\npattern = \"overlap\"\nstreams = { from = 1, to = 9223372036854775807, step = 1 }\n")
                .mistakes.size(),
            1u);
}

// ---- --set, --only
// ------------------------------------------------------------------------------------------------------

TEST(Set, ReachesThePlan) {
  std::string const text =
      "[[case]]\npattern = \"transpose\"\nvariant = \"padded\"\ntile = 8\n[[case]]\npattern = \"transpose\"\nvariant = "
      "\"copy\"\n";
  EXPECT_EQ(names_of(plan_of(text, "", {"shape=8x8", "case[0].tile=[16, 32]", "type=f64", "space=serial"})),
            (Names{"transpose/padded/serial/f64/8x8/tile=16", "transpose/padded/serial/f64/8x8/tile=32",
                   "transpose/copy/serial/f64/8x8"}));
  Plan const plan = plan_of(
      text, "", {"run.budget=1 min", "run.seed=3", "run.title=two words", "sampling.cache=cold", "max_time=1 s"});
  EXPECT_EQ(plan.run.budget, 60);
  EXPECT_EQ(plan.run.seed, 3);
  EXPECT_EQ(plan.run.title, "two words");
  EXPECT_TRUE(plan.cases[0].sampling.cold);
  EXPECT_EQ(plan.cases[0].sampling.max_time, 1);
}

TEST(Set, IsBlamedForItsOwnMistakes) {
  std::string const text = "[[case]]\npattern = \"transpose\"\nvariant = \"padded\"\n";
  EXPECT_EQ(planned(text, "", {"tile=7"}).said(),
            "--set tile=7: error: case[0].tile: 7 is not built in; one of: 8, 16, 32\n1 mistake in test.toml\n");
  EXPECT_EQ(planned(text, "", {"tiel=8"}).said(),
            "--set tiel=8: error: case[0].tiel: unknown key, did you mean \"tile\"?\n1 mistake in test.toml\n");
  EXPECT_EQ(planned(text, "", {"variant=paded"}).said(),
            "--set variant=paded: error: case[0].variant: \"paded\" is unknown, did you mean \"padded\"?\n1 mistake in "
            "test.toml\n");
  EXPECT_EQ(planned(text, "", {"run.budget=soon"}).said(),
            "--set run.budget=soon: error: run.budget: expected a positive time such as \"2 s\", \"500 ms\" or \"10 "
            "min\"\n1 mistake in test.toml\n");
  EXPECT_EQ(planned(text, "", {"run.title=2024-02-29"}).said(),
            "--set run.title=2024-02-29: error: run.title: dates and times have no meaning in a deck\n1 mistake in "
            "test.toml\n");
}

TEST(Only, KeepsTheCasesWithThatInTheirName) {
  std::string const text =
      "[[case]]\npattern = \"transpose\"\nvariant = [\"copy\", \"tiled\", \"padded\"]\nshape = [\"8x8\", "
      "\"9x9\"]\ntile = [8, 32]\n";
  Plan const plan = plan_of(text, "9x9/tile=32");
  EXPECT_EQ(names_of(plan),
            (Names{"transpose/tiled/openmp/f32/9x9/tile=32", "transpose/padded/openmp/f32/9x9/tile=32"}));
  EXPECT_EQ(plan.groups, (std::vector<Indices>{{0, 1}}));
}

TEST(Only, DropsTheComparisonsThatLostTheirPartner) {
  std::string const text =
      "[[case]]\npattern = \"transpose\"\nvariant = [\"copy\", \"padded\"]\nshape = [\"8x8\", \"9x9\"]\n"
      "[[expect]]\npattern = \"transpose\"\nvariant = \"padded\"\nof = { variant = \"copy\" }\nat_least = 0.5\n";
  EXPECT_EQ(comparisons_of(plan_of(text, "9x9"), 0),
            (Names{"transpose/padded/openmp/f32/9x9/tile=32 : transpose/copy/openmp/f32/9x9"}));
  EXPECT_TRUE(plan_of(text, "padded").rules.empty());
  EXPECT_TRUE(plan_of(text, "copy").rules.empty());
}

TEST(Only, ThatKeepsNothingIsAMistake) {
  EXPECT_EQ(planned("[[case]]\npattern = \"transpose\"\n", "fft").said(),
            "--only fft: error: no case of this deck has that in its name\n1 mistake in test.toml\n");
}

// ---- rules

std::string const ladder = R"(
[[case]]
pattern = "transpose"
space   = ["serial", "openmp"]
variant = ["copy", "row_read", "tiled", "padded"]
shape   = "8x8"
tile    = [16, 32]
)";

TEST(Rules, CompareEachCaseWithItsCounterpart) {
  Plan const plan = plan_of(ladder + R"([[expect]]
pattern  = "transpose"
variant  = "padded"
space    = "serial"
of       = { variant = "tiled" }
at_least = 0.9
why      = "tender"
)");
  EXPECT_EQ(comparisons_of(plan, 0),
            (Names{"transpose/padded/serial/f32/8x8/tile=16 : transpose/tiled/serial/f32/8x8/tile=16",
                   "transpose/padded/serial/f32/8x8/tile=32 : transpose/tiled/serial/f32/8x8/tile=32"}));
  Rule const& rule = plan.rules[0];
  EXPECT_EQ(rule.of, Rule::Of::cases);
  EXPECT_EQ(rule.at_least, 0.9);
  EXPECT_EQ(rule.why, "tender");
  EXPECT_FALSE(rule.optional);
  EXPECT_EQ(rule.at.line, 9);
}

TEST(Rules, LeaveOutKeysThatThePartnerHasNot) {
  EXPECT_EQ(
      comparisons_of(plan_of(ladder + "[[expect]]\npattern = \"transpose\"\nvariant = \"padded\"\ntile = 32\nspace "
                                      "= \"openmp\"\nof = { variant = \"copy\" }\nat_least = 1\n"),
                     0),
      (Names{"transpose/padded/openmp/f32/8x8/tile=32 : transpose/copy/openmp/f32/8x8"}));
}

TEST(Rules, JudgeTheBestOverAKey) {
  EXPECT_EQ(comparisons_of(plan_of(ladder + "[[expect]]\npattern = \"transpose\"\nvariant = \"padded\"\nbest_over = "
                                            "\"tile\"\nof = { variant = \"copy\" }\nat_least = 1\n"),
                           0),
            (Names{"transpose/padded/serial/f32/8x8/tile=16, transpose/padded/serial/f32/8x8/tile=32 : "
                   "transpose/copy/serial/f32/8x8",
                   "transpose/padded/openmp/f32/8x8/tile=16, transpose/padded/openmp/f32/8x8/tile=32 : "
                   "transpose/copy/openmp/f32/8x8"}));
  EXPECT_EQ(comparisons_of(
                plan_of(ladder + "[[expect]]\npattern = \"transpose\"\nspace = \"serial\"\nvariant = "
                                 "\"padded\"\nbest_over = [\"tile\"]\nof = { variant = \"tiled\" }\nat_least = 1\n"),
                0),
            (Names{"transpose/padded/serial/f32/8x8/tile=16, transpose/padded/serial/f32/8x8/tile=32 : "
                   "transpose/tiled/serial/f32/8x8/tile=16, transpose/tiled/serial/f32/8x8/tile=32"}));
  EXPECT_EQ(comparisons_of(
                plan_of(ladder + "[[expect]]\npattern = \"transpose\"\nvariant = [\"copy\", \"row_read\"]\nbest_over "
                                 "= [\"variant\", \"space\"]\nof = \"model\"\nat_least = 1\n"),
                0),
            (Names{"transpose/copy/serial/f32/8x8, transpose/row_read/serial/f32/8x8, transpose/copy/openmp/f32/8x8, "
                   "transpose/row_read/openmp/f32/8x8 : "}));
}

TEST(Rules, FindThePartnersBestOverAKeyThatOnlyThePartnerHas) {
  EXPECT_EQ(
      comparisons_of(plan_of(ladder + "[[expect]]\npattern = \"transpose\"\nspace = \"serial\"\nvariant = "
                                      "\"copy\"\nbest_over = \"tile\"\nof = { variant = \"padded\" }\nat_least = 1\n"),
                     0),
      (Names{"transpose/copy/serial/f32/8x8 : transpose/padded/serial/f32/8x8/tile=16, "
             "transpose/padded/serial/f32/8x8/tile=32"}));
  EXPECT_EQ(comparisons_of(plan_of(ladder + "[[expect]]\npattern = \"transpose\"\nspace = \"serial\"\nvariant = "
                                            "\"copy\"\nof = { variant = \"padded\", tile = 32 }\nat_least = 1\n"),
                           0),
            (Names{"transpose/copy/serial/f32/8x8 : transpose/padded/serial/f32/8x8/tile=32"}));
}

TEST(Rules, KeepCasesWithAKeyOfBestOverApartFromCasesWithout) {
  EXPECT_EQ(comparisons_of(
                plan_of(ladder +
                        "[[expect]]\npattern = \"transpose\"\nspace = \"serial\"\nvariant = [\"copy\", \"row_read\", "
                        "\"padded\"]\nbest_over = [\"variant\", \"tile\"]\nof = \"model\"\nat_least = 1\n"),
                0),
            (Names{"transpose/copy/serial/f32/8x8, transpose/row_read/serial/f32/8x8 : ",
                   "transpose/padded/serial/f32/8x8/tile=16, transpose/padded/serial/f32/8x8/tile=32 : "}));
}

TEST(Rules, CompareAcrossSpacesTypesAndShapes) {
  EXPECT_EQ(comparisons_of(plan_of(ladder + "[[expect]]\npattern = \"transpose\"\nspace = \"openmp\"\nvariant = "
                                            "\"copy\"\nof = { space = \"serial\" }\nat_least = 1\n"),
                           0),
            (Names{"transpose/copy/openmp/f32/8x8 : transpose/copy/serial/f32/8x8"}));
  std::string const two =
      "[[case]]\npattern = \"transpose\"\nvariant = \"copy\"\ntype = [\"f32\", \"f64\"]\nshape = [\"8x8\", \"9 x "
      "9\"]\n";
  EXPECT_EQ(
      comparisons_of(
          plan_of(two + "[[expect]]\npattern = \"transpose\"\ntype = \"f64\"\nof = { type = \"f32\" }\nat_least = 1\n"),
          0),
      (Names{"transpose/copy/openmp/f64/8x8 : transpose/copy/openmp/f32/8x8",
             "transpose/copy/openmp/f64/9x9 : transpose/copy/openmp/f32/9x9"}));
  EXPECT_EQ(comparisons_of(plan_of(two + "[[expect]]\npattern = \"transpose\"\nshape = \"8x8\"\ntype = \"f32\"\nof = { "
                                         "shape = \"9x9\" }\nat_least = 1\n"),
                           0),
            (Names{"transpose/copy/openmp/f32/8x8 : transpose/copy/openmp/f32/9x9"}));
}

TEST(Rules, SelectBySizesHoweverTheyAreWritten) {
  std::string const sizes =
      "[[case]]\npattern = \"overlap\"\nvariant = \"serial\"\nbytes = [\"1 GiB\", \"25 %\", \"2 GiB\"]\n";
  EXPECT_EQ(
      comparisons_of(
          plan_of(
              sizes +
              "[[expect]]\npattern = \"overlap\"\nbytes = [\"1024 MiB\", \"25%\"]\nof = \"bound\"\nat_least = 0.5\n"),
          0),
      (Names{"overlap/serial/openmp/f64/op=copy/bytes=1GiB : ", "overlap/serial/openmp/f64/op=copy/bytes=25% : "}));
}

TEST(Rules, FindPartnersOnlyWhereThePlanHasThem) {
  std::string text;
  Names expected;
  for (int i = 1; i <= 50; ++i) {  // every size has numbers of streams of its own
    std::string const size = "bytes=" + std::to_string(8 * i) + "B";
    text +=
        "[[case]]\npattern = \"overlap\"\nvariant = [\"serial\", \"three_stage\"]\nbytes = " + std::to_string(8 * i) +
        "\nstreams = { from = " + std::to_string(100 * i) + ", to = " + std::to_string(100 * i + 99) + ", step = 1 }\n";
    std::string partners;
    for (int n = 100 * i; n < 100 * i + 100; ++n)
      partners += (partners.empty() ? "" : ", ") + ("overlap/three_stage/openmp/f64/op=copy/" + size) +
                  "/streams=" + std::to_string(n);
    expected.push_back("overlap/serial/openmp/f64/op=copy/" + size + " : " + partners);
  }
  text +=
      "[[expect]]\npattern = \"overlap\"\nvariant = \"serial\"\nbest_over = \"streams\"\n"
      "of = { variant = \"three_stage\" }\nat_least = 1\n";
  EXPECT_EQ(comparisons_of(plan_of(text), 0), expected);
}

TEST(Rules, FindPartnersBySeveralKeysAtOnce) {
  std::string const start = "[[case]]\npattern = \"matmul\"\nshape = \"8x8x8\"\n";
  Plan const plan =
      plan_of(start + "variant = \"simple\"\n" + start + "variant = \"registers\"\nblock = 16\nunroll = [1, 4]\n" +
              start + "variant = \"registers\"\nblock = 32\nunroll = 2\n" +
              "[[expect]]\npattern = \"matmul\"\nvariant = \"simple\"\nbest_over = [\"block\", \"unroll\"]\n"
              "of = { variant = \"registers\" }\nat_least = 1\n");
  EXPECT_EQ(comparisons_of(plan, 0),
            (Names{"matmul/simple/openmp/f64/8x8x8 : matmul/registers/openmp/f64/8x8x8/block=16/unroll=1, "
                   "matmul/registers/openmp/f64/8x8x8/block=16/unroll=4, "
                   "matmul/registers/openmp/f64/8x8x8/block=32/unroll=2"}));
}

TEST(Rules, DoNotMixWarmWithCold) {
  EXPECT_EQ(
      comparisons_of(plan_of("[[case]]\npattern = \"transpose\"\nvariant = [\"copy\", \"row_read\"]\n"
                             "[[case]]\npattern = \"transpose\"\nvariant = [\"copy\", \"row_read\"]\ncache = \"cold\"\n"
                             "[[expect]]\npattern = \"transpose\"\nvariant = \"row_read\"\nof = { variant = \"copy\" "
                             "}\nat_least = 0.5\n"),
                     0),
      (Names{"transpose/row_read/openmp/f32/4096x4096 : transpose/copy/openmp/f32/4096x4096",
             "transpose/row_read/openmp/f32/4096x4096/cache=cold : transpose/copy/openmp/f32/4096x4096/cache=cold"}));
}

TEST(Rules, ReadAbsoluteRates) {
  Plan const plan = plan_of(
      "[[case]]\npattern = \"matmul\"\nvariant = \"simple\"\n[[case]]\npattern = \"transpose\"\nvariant = \"copy\"\n"
      "[[expect]]\npattern = \"matmul\"\nat_least = \"1.5 TFLOP/s\"\n"
      "[[expect]]\npattern = \"transpose\"\nat_least = \"3900 GB/s\"\noptional = true\n");
  EXPECT_EQ(plan.rules[0].of, Rule::Of::absolute);
  EXPECT_DOUBLE_EQ(plan.rules[0].at_least, 1.5e12);
  EXPECT_DOUBLE_EQ(plan.rules[1].at_least, 3.9e12);
  EXPECT_TRUE(plan.rules[1].optional);
}

TEST(Rules, SelectSkippedCasesToo) {
  Plan const plan = plan_of(
      "[[case]]\npattern = \"transpose\"\nvariant = \"copy\"\nspace = \"cuda\"\n[[expect]]\npattern = "
      "\"transpose\"\nof = \"model\"\nat_least = 0.5\n");
  EXPECT_EQ(comparisons_of(plan, 0), (Names{"transpose/copy/cuda/f32/4096x4096 : "}));
}

TEST(Rules, AreReportedBesideTheMistakesOfTheCases) {
  EXPECT_EQ(planned("[[case]]\npattern = \"transpoze\"\n[[expect]]\npattern = \"transpose\"\nvariant = \"cipy\"\nof = "
                    "\"model\"\nat_least = 0.5\n")
                .mistakes.size(),
            2u);
}

// ---- the resolved deck

/// Everything of a plan that a run depends on, as text.
std::string essence(Plan const& plan) {
  std::string text = plan.run.title + "|" + std::to_string(plan.run.budget) + "|" + std::to_string(plan.run.seed) + "|";
  for (std::string const& space : plan.run.require) text += space + " ";
  text += "\n";
  for (Case const& c : plan.cases) {
    text += c.name() + " " + c.problem() + " [" + (c.skip ? c.skip->words : "") + "] " +
            std::to_string(c.sampling.min_samples) + " " + std::to_string(c.sampling.max_time * 1e9) + " " +
            std::to_string(c.sampling.spread * 1e9) + (c.sampling.cold ? " cold\n" : " warm\n");
  }
  for (Indices const& group : plan.groups) {
    for (std::size_t const i : group) text += std::to_string(i) + " ";
    text += "\n";
  }
  for (std::size_t r = 0; r < plan.rules.size(); ++r) {
    Rule const& rule = plan.rules[r];
    text += std::to_string(static_cast<int>(rule.of)) + " " + std::to_string(rule.at_least * 1e6) +
            (rule.optional ? " optional " : " ") + rule.why;
    if (rule.of == Rule::Of::file)
      text += fs::canonical(rule.file).string();
    else
      text += rule.text;
    for (std::string const& comparison : comparisons_of(plan, r)) text += "\n  " + comparison;
    text += "\n";
  }
  return text;
}

class GoodDecks : public testing::TestWithParam<std::string> {};

Names good_decks() {
  Names stems;
  for (auto const& entry : fs::directory_iterator(TILESTRIDE_TEST_DIR "/decks/good")) {
    if (entry.path().extension() == ".toml") stems.push_back(entry.path().stem().string());
  }
  std::sort(stems.begin(), stems.end());
  return stems;
}

/// The same settings for every deck: each adds defaults, overrides, or a text that is hard to write into a comment.
std::vector<Names> const& setting_lists() {
  static std::vector<Names> const lists{
      {},
      {"type=f64", "space=[\"serial\", \"cuda\"]"},
      {"sampling.spread=0.125", "sampling.max_time=333 us", "run.seed=9007199254740992"},
      {"run.title=a title\nof two lines # [[case]]\x01"},
      {"run.budget=0.1 ns", "sampling.cache=cold", "case[0].max_time=1.7 h"},
  };
  return lists;
}

TEST_P(GoodDecks, ResolveToADeckThatGivesTheSamePlan) {
  for (Names const& settings : setting_lists()) {
    for (std::string const only : {"", "x", "openmp"}) {
      std::vector<Mistake> mistakes;
      Deck deck = read_deck(TILESTRIDE_TEST_DIR "/decks/good/" + GetParam() + ".toml", mistakes);
      for (std::string const& setting : settings) set_in_deck(deck, setting, mistakes);
      Plan const plan = make_plan(deck, small_catalogue(), small_build(), only, mistakes);
      if (settings.size() == 3 && mistakes.empty()) {
        EXPECT_FALSE(plan.cases.empty());
      }
      if (!mistakes.empty()) {  // a setting need not fit every deck, but no setting always does
        ASSERT_FALSE(settings.empty()) << describe(mistakes, deck);
        continue;
      }
      // Elsewhere, in a build with another default: nothing may be left to a default, no path be relative.
      Deck const again = parse_deck(plan.resolved, "/elsewhere/resolved.toml", mistakes);
      Build other = small_build();
      other.default_space = "serial";
      Plan const twin = make_plan(again, small_catalogue(), other, only, mistakes);
      ASSERT_TRUE(mistakes.empty()) << describe(mistakes, again) << plan.resolved;
      EXPECT_EQ(essence(twin), essence(plan)) << plan.resolved;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, GoodDecks, testing::ValuesIn(good_decks()), [](auto const& deck) { return deck.param; });

TEST_P(GoodDecks, MayBeDamagedWithoutHarm) {
  std::ifstream stream(TILESTRIDE_TEST_DIR "/decks/good/" + GetParam() + ".toml", std::ios::binary);
  std::string const text{std::istreambuf_iterator<char>(stream), {}};
  std::mt19937_64 random(1);
  std::string const letters = "\"'[]{}=,.#x 09-\n%\xff";
  for (int round = 0; round < 1000; ++round) {
    std::string damaged = text;
    for (int hits = static_cast<int>(random() % 3); hits >= 0; --hits) {
      std::size_t const at = random() % damaged.size();
      switch (random() % 3) {
        case 0: damaged.erase(at, random() % 9 + 1); break;
        case 1: damaged[at] = letters[random() % letters.size()]; break;
        default: damaged.insert(at, damaged.substr(random() % damaged.size(), random() % 30));
      }
    }
    std::vector<Mistake> mistakes;
    Deck const deck = parse_deck(damaged, TILESTRIDE_TEST_DIR "/decks/good/damaged.toml", mistakes);
    Plan const plan = make_plan(deck, small_catalogue(), small_build(), "", mistakes);
    if (!mistakes.empty()) {
      EXPECT_NE(describe(mistakes, deck), "");
      continue;
    }
    Deck const again = parse_deck(plan.resolved, "/elsewhere/resolved.toml", mistakes);
    Plan const twin = make_plan(again, small_catalogue(), small_build(), "", mistakes);
    ASSERT_TRUE(mistakes.empty()) << describe(mistakes, again) << damaged;
    EXPECT_EQ(essence(twin), essence(plan)) << damaged;
  }
}

TEST(Resolved, SaysWhereEachValueComesFrom) {
  std::string const resolved =
      plan_of("[run]\nseed = 4\n[[case]]\npattern = \"transpose\"\nvariant = \"padded\"\n", "", {"tile=8"}).resolved;
  auto const line_of = [&](std::string const& key) {
    auto const begin = resolved.find("\n" + key + " ") + 1;
    return resolved.substr(begin, resolved.find('\n', begin) - begin);
  };
  EXPECT_NE(line_of("seed").find("# test.toml:3"), std::string::npos) << resolved;
  EXPECT_NE(line_of("tile").find("# --set tile=8"), std::string::npos) << resolved;
  EXPECT_NE(line_of("shape").find("# default"), std::string::npos) << resolved;
  EXPECT_NE(line_of("variant").find("# test.toml:6"), std::string::npos) << resolved;
}

TEST(Plan, SaysNothingMoreOfADeckThatCouldNotBeRead) {
  std::vector<Mistake> mistakes;
  Deck const deck = parse_deck("schema = ", "test.toml", mistakes);
  ASSERT_EQ(mistakes.size(), 1u);
  make_plan(deck, small_catalogue(), small_build(), "", mistakes);
  EXPECT_EQ(mistakes.size(), 1u);
}

}  // namespace
}  // namespace tilestride
