// SPDX-License-Identifier: BSD-3-Clause
#include "process/messages.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "report/made_up.hpp"
#include "results/references.hpp"

namespace tilestride {
namespace {

Plan small_plan() {
  return made_up_plan(
      "[[case]]\npattern = \"transpose\"\nvariant = [\"copy\", \"padded\"]\nshape = \"64x64\"\ntile = [16, 32]\n"
      "[[case]]\npattern = \"matmul\"\nvariant = \"simple\"\n");
}

/// A result that has everything.
Result full(Case const& c) {
  Result result = passed(c, {0.1, 1.0 / 3, 0.3, 0.25, 0.2, 0.15, 1e-7}, 1e9 / 3, "7.1");
  result.repetitions = 12;
  result.clock = "events";
  result.work = {1e9 / 3, 2e9 / 7, 512};
  result.check = {true, 4096, 0, "equal in every bit"};
  result.yardsticks = {{"copy", {3e9, 1e9, 2e9 / 3}}, {"fma", {1e12, 3e12}}, {"read", {4e9}}};
  result.intensity = Intensity{2.0 / 3, 1.0 / 7};
  result.predicted = {{"wavefronts", 32}, {"another", 1}};
  result.measured = {{"cycles", 1.0 / 3}};
  result.kernels = {{"kernel", 1l << 33, 256, 40, 16, 128, 64, 4224, 8, 0.875},
                    {"library", 1, 1, 1, 0, -1, -1, 0, 1, 0.1}};
  result.ceilings = {1e9, 2e12, 5e11, 4e9, 1.98e9, {{"copy", 1e9}, {"fma", 2e12}, {"read", 4e9}}};
  result.program = "tilestride-cuda";
  result.model = {1.0 / 7, "copy"};
  result.flags = {"noisy", "throttled: power cap"};
  result.notes = {{"team size", "256"}, {"library", "cuBLAS 13.1"}};
  result.before = {{"SM clock", "1980 MHz"}};
  result.after = {{"SM clock", "1755 MHz"}, {"temperature", "61 C"}};
  return result;
}

/// Through a file and back.
std::optional<Result> there_and_back(Result const& result, Plan const& plan) {
  return result_from_json(Json::parse(to_line(to_json(result))), plan, index_cases(plan));
}

void expect_same(std::vector<KernelUse> const& a, std::vector<KernelUse> const& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].name, b[i].name);
    EXPECT_EQ(a[i].blocks, b[i].blocks);
    EXPECT_EQ(a[i].threads, b[i].threads);
    EXPECT_EQ(a[i].registers, b[i].registers);
    EXPECT_EQ(a[i].local, b[i].local);
    EXPECT_EQ(a[i].spill_stores, b[i].spill_stores);
    EXPECT_EQ(a[i].spill_loads, b[i].spill_loads);
    EXPECT_EQ(a[i].scratch, b[i].scratch);
    EXPECT_EQ(a[i].blocks_per_multiprocessor, b[i].blocks_per_multiprocessor);
    EXPECT_EQ(a[i].occupancy, b[i].occupancy);
  }
}

void expect_same(Result const& a, Result const& b) {
  EXPECT_EQ(a.planned, b.planned);
  EXPECT_EQ(a.outcome, b.outcome);
  EXPECT_EQ(a.reason, b.reason);
  EXPECT_EQ(a.skip_reason, b.skip_reason);
  EXPECT_EQ(a.program, b.program);
  EXPECT_EQ(a.samples, b.samples);
  EXPECT_EQ(a.session, b.session);
  EXPECT_EQ(a.repetitions, b.repetitions);
  EXPECT_EQ(a.clock, b.clock);
  EXPECT_EQ(a.check.passed, b.check.passed);
  EXPECT_EQ(a.check.elements, b.check.elements);
  EXPECT_EQ(a.check.wrong, b.check.wrong);
  EXPECT_EQ(a.check.detail, b.check.detail);
  EXPECT_EQ(a.work.bytes, b.work.bytes);
  EXPECT_EQ(a.work.flops, b.work.flops);
  EXPECT_EQ(a.work.operations, b.work.operations);
  ASSERT_EQ(a.intensity.has_value(), b.intensity.has_value());
  if (a.intensity) {
    EXPECT_EQ(a.intensity->ideal, b.intensity->ideal);
    EXPECT_EQ(a.intensity->requested, b.intensity->requested);
  }
  EXPECT_EQ(a.predicted, b.predicted);
  EXPECT_EQ(a.measured, b.measured);
  expect_same(a.kernels, b.kernels);
  EXPECT_EQ(a.yardsticks, b.yardsticks);
  EXPECT_EQ(a.ceilings.copy, b.ceilings.copy);
  EXPECT_EQ(a.ceilings.fma, b.ceilings.fma);
  EXPECT_EQ(a.ceilings.scratch, b.ceilings.scratch);
  EXPECT_EQ(a.ceilings.read, b.ceilings.read);
  EXPECT_EQ(a.ceilings.clock, b.ceilings.clock);
  EXPECT_EQ(a.ceilings.by_name, b.ceilings.by_name);
  EXPECT_EQ(a.model.seconds, b.model.seconds);
  EXPECT_EQ(a.model.limiter, b.model.limiter);
  EXPECT_EQ(a.flags, b.flags);
  EXPECT_EQ(a.notes, b.notes);
  EXPECT_EQ(a.before, b.before);
  EXPECT_EQ(a.after, b.after);
}

/// No null anywhere: that is how NaN and infinity end up in a file.
void expect_no_null(Json const& json) {
  if (json.is_structured())
    for (Json const& inner : json) expect_no_null(inner);
  EXPECT_FALSE(json.is_null());
}

// ---- there and back

TEST(ResultJson, GivesBackAPassedCase) {
  Plan const plan = small_plan();
  for (Case const& c : plan.cases) {
    Result const result = full(c);
    std::optional<Result> const back = there_and_back(result, plan);
    ASSERT_TRUE(back.has_value());
    expect_same(result, *back);
    EXPECT_EQ(result.rate(), back->rate());
  }
}

TEST(ResultJson, GivesBackAPassedCaseThatHasLittle) {
  Plan const plan = small_plan();
  Result const result = passed(plan.cases[0], {0.5});
  std::optional<Result> const back = there_and_back(result, plan);
  ASSERT_TRUE(back.has_value());
  expect_same(result, *back);
}

TEST(ResultJson, HasTheIntensityThatIsKnown) {
  Plan const plan = small_plan();
  Result result = full(plan.cases[2]);
  EXPECT_EQ(to_json(result).at("intensity"), Json({{"ideal", 2.0 / 3}, {"requested", 1.0 / 7}}));
  result.intensity = Intensity{3};  // a library's
  EXPECT_EQ(to_json(result).at("intensity"), Json({{"ideal", 3.0}}));
  expect_same(result, *there_and_back(result, plan));
  result.intensity.reset();
  EXPECT_FALSE(to_json(result).contains("intensity"));
}

TEST(ResultJson, GivesBackWhatDidNotPass) {
  Plan const plan = small_plan();
  for (Outcome const outcome : {Outcome::failed, Outcome::error, Outcome::skipped, Outcome::not_run}) {
    for (std::string const reason : {"", "for the test"}) {
      Result result = without_figure(plan.cases[1], outcome, reason);
      if (outcome == Outcome::skipped) result.skip_reason = SkipReason::limit;
      if (outcome == Outcome::failed) result.check = {false, 4096, 3, "element 7 is 2, expected 1"};
      result.before = {{"SM clock", "1980 MHz"}};
      std::optional<Result> const back = there_and_back(result, plan);
      ASSERT_TRUE(back.has_value()) << name_of(outcome);
      expect_same(result, *back);
    }
  }
}

TEST(ResultJson, WritesWhatPeopleLookFor) {
  Plan const plan = small_plan();
  Json const json = to_json(full(plan.cases[2]));
  EXPECT_EQ(json.at("name"), plan.cases[2].name());
  EXPECT_EQ(json.at("outcome"), "passed");
  EXPECT_EQ(json.at("samples").size(), 7u);
  EXPECT_DOUBLE_EQ(json.at("time").at("median").get<double>(), 0.2);
  EXPECT_DOUBLE_EQ(json.at("rate").get<double>(), 1e9 / 3 / 0.2);
}

TEST(ResultJson, NamesTheProblemTheRoleAndTheTwin) {
  Plan const plan = made_up_plan(
      "[[case]]\npattern = \"transpose\"\nvariant = [\"copy\", \"padded\"]\nshape = \"64x64\"\ntile = 16\n"
      "[[case]]\npattern = \"chase\"\nvariant = \"native\"\n");
  ASSERT_EQ(plan.cases.size(), 3u);
  Json const copy = to_json(full(plan.cases[0]));
  Json const padded = to_json(without_figure(plan.cases[1], Outcome::skipped, "no reason"));
  Json const native = to_json(full(plan.cases[2]));
  EXPECT_EQ(copy.at("role"), "bound");
  EXPECT_EQ(padded.at("role"), "portable");
  EXPECT_EQ(native.at("role"), "native");
  EXPECT_EQ(native.at("twin"), "portable");
  EXPECT_FALSE(padded.contains("twin"));
  EXPECT_EQ(copy.at("problem"), padded.at("problem"));  // which has a tile besides
  EXPECT_NE(padded.at("problem").get<std::string>().find("64x64"), std::string::npos);
  EXPECT_EQ(padded.at("problem").get<std::string>().find("tile"), std::string::npos);
}

TEST(ResultJson, HasNoFigureForWhatDidNotPass) {
  Plan const plan = small_plan();
  for (Outcome const outcome : {Outcome::failed, Outcome::error, Outcome::skipped, Outcome::not_run}) {
    Result result = full(plan.cases[1]);  // even when the harness left everything in it
    result.outcome = outcome;
    result.notes.clear();
    result.before.clear();
    result.after.clear();
    Json const json = to_json(result);
    for (std::string const key : {"time", "rate", "bytes_per_second", "flops_per_second", "samples", "yardsticks",
                                  "model", "work", "intensity", "ceilings", "repetitions"})
      EXPECT_FALSE(json.contains(key)) << key << " of " << name_of(outcome);
  }
}

TEST(ResultJson, IsStrictJson) {
  Plan const plan = small_plan();
  std::vector<Result> results{full(plan.cases[0]), passed(plan.cases[1], {0.5}), full(plan.cases[3])};
  for (Outcome const outcome : {Outcome::failed, Outcome::error, Outcome::skipped, Outcome::not_run})
    results.push_back(without_figure(plan.cases[2], outcome, "a \"quoted\" \\ reason\nof two lines\t\x01"));
  for (Result const& result : results) {
    std::string const line = to_line(to_json(result));
    EXPECT_EQ(line.find('\n'), std::string::npos) << line;
    EXPECT_EQ(line.find("NaN"), std::string::npos) << line;
    ASSERT_TRUE(Json::accept(line)) << line;
    expect_no_null(Json::parse(line));
    expect_same(result, there_and_back(result, plan).value());
  }
}

TEST(ResultJson, SurvivesBytesThatAreNoUtf8) {
  Plan const plan = small_plan();
  for (std::string const bytes : {"\xff", "\xc3", "\xed\xa0\x80", "\xf0\x9f\x92", "\x80\xbf", "\xc0\xaf"}) {
    Result result = without_figure(plan.cases[0], Outcome::error, "before " + bytes + " after");
    result.notes["library"] = bytes;
    std::string const line = to_line(to_json(result));
    ASSERT_TRUE(Json::accept(line));
    std::optional<Result> const back = there_and_back(result, plan);
    ASSERT_TRUE(back.has_value());
    EXPECT_EQ(back->reason.rfind("before ", 0), 0u) << back->reason;
    EXPECT_NE(back->reason.find(" after"), std::string::npos) << back->reason;
    EXPECT_NE(back->reason.find("\xef\xbf\xbd"), std::string::npos) << "no replacement character";
  }
  Result const right = without_figure(plan.cases[0], Outcome::error, "Prüfsumme \xf0\x9f\x92\xa5");
  EXPECT_EQ(there_and_back(right, plan)->reason, right.reason);
}

TEST(ResultJson, LinesOfAWorkerAreStrictToo) {
  Json const reason = Json::parse(to_line(unavailable_message("no \xff device\n")));
  EXPECT_EQ(reason.at("kind"), "unavailable");
  EXPECT_EQ(reason.at("reason"), "no \xef\xbf\xbd device\n");
  Json const machine = Json::parse(to_line(machine_message({{"openmp", "2 threads"}})));
  EXPECT_EQ(machine.at("kind"), "machine");
  EXPECT_EQ(machine.at("spaces").at("openmp"), "2 threads");
  EXPECT_TRUE(machine.at("environment").is_object());
  Plan const plan = small_plan();
  EXPECT_FALSE(result_from_json(machine, plan, index_cases(plan)).has_value());
  EXPECT_FALSE(result_from_json(reason, plan, index_cases(plan)).has_value());
}

// ---- lines that are not ours

TEST(ResultJson, GivesNothingForHalfALine) {
  Plan const plan = small_plan();
  CaseIndex const index = index_cases(plan);
  std::string const line = to_line(to_json(full(plan.cases[1])));
  for (std::size_t length = 0; length < line.size(); ++length) {
    Json const json = Json::parse(line.substr(0, length), nullptr, false);
    EXPECT_FALSE(result_from_json(json, plan, index).has_value()) << line.substr(0, length);
  }
}

TEST(ResultJson, GivesNothingForGarbage) {
  Plan const plan = small_plan();
  CaseIndex const index = index_cases(plan);
  std::string const name = "\"" + plan.cases[0].name() + "\"";
  for (std::string const& text :
       {std::string("null"),
        std::string("true"),
        std::string("7"),
        std::string("\"case\""),
        std::string("[]"),
        std::string("[{\"kind\": \"case\"}]"),
        std::string("{}"),
        std::string("{\"kind\": \"case\"}"),
        std::string("{\"kind\": 1, \"name\": 2}"),
        std::string("{\"kind\": null}"),
        std::string("{\"kind\": \"case\", \"name\": \"transpose/gone/openmp/f32/64x64\", \"outcome\": \"skipped\"}"),
        "{\"name\": " + name + ", \"outcome\": \"skipped\"}",
        "{\"kind\": \"machine\", \"name\": " + name + ", \"outcome\": \"skipped\"}",
        "{\"kind\": \"case\", \"name\": " + name + "}",
        "{\"kind\": \"case\", \"name\": " + name + ", \"outcome\": \"failed\"}",  // it is written FAILED
        "{\"kind\": \"case\", \"name\": " + name + ", \"outcome\": 3}",
        "{\"kind\": \"case\", \"name\": " + name + ", \"outcome\": \"passed\"}",
        "{\"kind\": \"case\", \"name\": " + name + ", \"outcome\": \"passed\", \"samples\": []}",
        "{\"kind\": \"case\", \"name\": " + name + ", \"outcome\": \"passed\", \"samples\": [null]}",
        "{\"kind\": \"case\", \"name\": " + name + ", \"outcome\": \"passed\", \"samples\": [\"1\"]}",
        "{\"kind\": \"case\", \"name\": " + name + ", \"outcome\": \"passed\", \"samples\": {}}"}) {
    EXPECT_FALSE(result_from_json(Json::parse(text), plan, index).has_value()) << text;
  }
}

TEST(ResultJson, NeverThrowsForAValueOfAnotherType) {
  Plan const plan = small_plan();
  CaseIndex const index = index_cases(plan);
  Json const right = to_json(full(plan.cases[1]));
  for (auto const& [key, value] : right.items()) {
    for (Json const& wrong : {Json(), Json(true), Json(-1), Json("x"), Json::array({1, "x"}), Json{{"x", Json()}}}) {
      Json json = right;
      json[key] = wrong;
      EXPECT_NO_THROW(result_from_json(json, plan, index)) << key << " = " << wrong;
    }
    Json json = right;
    json.erase(key);
    EXPECT_NO_THROW(result_from_json(json, plan, index)) << "without " << key;
  }
}

TEST(ResultJson, GivesTheSameForALineThatStandsThereTwice) {
  Plan const plan = small_plan();
  CaseIndex const index = index_cases(plan);
  Json const line = to_json(full(plan.cases[1]));
  std::optional<Result> const once = result_from_json(line, plan, index), twice = result_from_json(line, plan, index);
  ASSERT_TRUE(once && twice);
  expect_same(*once, *twice);
  EXPECT_EQ(once->planned, &plan.cases[1]);
}

TEST(ResultJson, IndexesEveryCase) {
  Plan const plan = small_plan();
  CaseIndex const index = index_cases(plan);
  ASSERT_EQ(index.size(), plan.cases.size());
  for (std::size_t i = 0; i < plan.cases.size(); ++i) EXPECT_EQ(index.at(plan.cases[i].name()), i);
}

TEST(SkipReasons, AllComeBack) {
  Plan const plan = small_plan();
  for (SkipReason const reason :
       {SkipReason::not_built, SkipReason::no_device, SkipReason::one_device, SkipReason::hardware, SkipReason::limit,
        SkipReason::not_in_kokkos, SkipReason::not_in_library, SkipReason::no_meaning, SkipReason::not_applicable}) {
    Result result = without_figure(plan.cases[0], Outcome::skipped, "for the test");
    result.skip_reason = reason;
    EXPECT_EQ(there_and_back(result, plan)->skip_reason, reason) << name_of(reason);
  }
}

// ---- commands

/// What a worker with this catalogue makes of the front's first group.
std::vector<AgreedCase> agreed(Plan const& plan, Catalogue const& catalogue, Build const& build) {
  std::vector<Case const*> cases;
  for (std::size_t const i : plan.groups.front()) cases.push_back(&plan.cases[i]);
  return cases_of_command(Json::parse(to_line(measure_command(cases, 7, 0))), catalogue, build);
}

TEST(MeasureCommand, GivesTheSameCases) {
  Plan const plan = made_up_plan(
      "[[case]]\npattern = \"overlap\"\nop = [\"triad\", \"copy\"]\nbytes = [\"25 %\", \"1 KiB\"]\nstreams = [3, 5]\n"
      "cache = \"cold\"\nmin_samples = 17\nmax_time = \"3 s\"\nspread = 0.25\n");
  for (auto const& group : plan.groups) {
    std::vector<Case const*> cases;
    for (std::size_t const i : group) cases.push_back(&plan.cases[i]);
    auto const back =
        cases_of_command(Json::parse(to_line(measure_command(cases, 7, 0))), made_up_catalogue(), small_build());
    ASSERT_EQ(back.size(), cases.size());
    for (std::size_t i = 0; i < cases.size(); ++i) {
      ASSERT_TRUE(back[i].found) << back[i].lacking;
      EXPECT_EQ(back[i].found->name(), cases[i]->name());
      EXPECT_EQ(back[i].found->variant, cases[i]->variant);
      EXPECT_TRUE(back[i].found->sampling == cases[i]->sampling);
      ASSERT_EQ(back[i].found->values.size(), cases[i]->values.size());
      for (std::size_t k = 0; k < cases[i]->values.size(); ++k) {
        EXPECT_EQ(back[i].found->values[k].n, cases[i]->values[k].n);
        EXPECT_EQ(back[i].found->values[k].percent, cases[i]->values[k].percent);
      }
    }
  }
}

TEST(MeasureCommand, CarriesWhatTheCardHasOfTheSpace) {
  Plan plan = small_plan();
  std::string const own = "latency/x/" + plan.cases.front().space + "/i32/bytes=1KiB";
  auto const card = std::make_shared<Card const>(Card{{own, 1.5}, {"latency/x/elsewhere/i32/bytes=1KiB", 3}});
  for (Case& c : plan.cases) c.card = card;
  for (AgreedCase const& one : agreed(plan, made_up_catalogue(), small_build())) {
    ASSERT_TRUE(one.found && one.found->card);
    EXPECT_EQ(*one.found->card, (Card{{own, 1.5}}));
  }
  for (Case& c : plan.cases) c.card = nullptr;
  EXPECT_EQ(agreed(plan, made_up_catalogue(), small_build()).front().found->card, nullptr);
}

TEST(MeasureCommand, SaysWhatAnotherRevisionLacks) {
  Plan const plan = small_plan();  // transpose: copy, padded with tile 16 and 32
  Catalogue other = made_up_catalogue();
  other[0].variants.erase(other[0].variants.begin());  // no copy
  other[0].keys[1].choices = {"32"};                   // no tile 16
  auto const back = agreed(plan, other, small_build());
  ASSERT_EQ(back.size(), 3u);
  EXPECT_EQ(back[0].lacking, "this program has no variant transpose/copy");
  EXPECT_EQ(back[1].lacking, "tile = 16 is not built into this program");
  EXPECT_TRUE(back[2].found) << back[2].lacking;
  other.erase(other.begin());
  EXPECT_EQ(agreed(plan, other, small_build())[0].lacking, "this program has no pattern transpose");
  EXPECT_EQ(agreed(plan, made_up_catalogue(), {{"cuda"}, "cuda"})[0].lacking,
            "this program has no space " + plan.cases[0].space);
}

TEST(MeasureCommand, SaysWhereTheWorkIsCountedOtherwise) {
  Plan const plan = small_plan();
  Catalogue other = made_up_catalogue();
  other[0].work = [](Case const&) { return Work{1}; };
  for (AgreedCase const& one : agreed(plan, other, small_build())) {
    EXPECT_FALSE(one.found);
    EXPECT_NE(one.lacking.find("counts the work otherwise"), std::string::npos) << one.lacking;
  }
}

// ---- result documents

Json document(std::vector<Result> const& results) {
  Json json{{"schema", result_schema}, {"deck", ""}, {"status", ""}, {"only", ""}, {"rules", Json::array()},
            {"results", Json::array()}};
  for (Result const& result : results) json["results"].push_back(to_json(result));
  return json;
}

TEST(References, AreThePassedCasesOfADocument) {
  ScratchFolder const folder;
  Plan const plan = small_plan();
  Result wrong = full(plan.cases[1]);
  wrong.outcome = Outcome::failed;
  auto const references = read_references(folder.write(
      "result.json", to_line(document({full(plan.cases[0]), wrong,
                                       without_figure(plan.cases[2], Outcome::skipped, "no"), full(plan.cases[3])}))));
  ASSERT_EQ(references.size(), 2u);
  Reference const& transpose = references.at(plan.cases[0].name());
  EXPECT_EQ(transpose.samples, full(plan.cases[0]).samples);
  EXPECT_EQ(transpose.amount, 1e9 / 3);                            // bytes
  EXPECT_EQ(references.at(plan.cases[3].name()).amount, 2e9 / 7);  // flops: a matmul
}

TEST(References, MayBeNone) {
  ScratchFolder const folder;
  EXPECT_TRUE(read_references(folder.write("result.json", to_line(document({})))).empty());
}

TEST(References, TakeACaseThatStandsThereTwiceOnce) {
  ScratchFolder const folder;
  Plan const plan = small_plan();
  auto const references =
      read_references(folder.write("result.json", to_line(document({full(plan.cases[0]), full(plan.cases[0])}))));
  ASSERT_EQ(references.size(), 1u);
  EXPECT_EQ(references.begin()->second.samples, full(plan.cases[0]).samples);
}

TEST(PhaseTimes, ComesBackFromItsLine) {
  Json const line = Json::parse(to_line(times_message({1.5, 0.25, 8, 3})));
  EXPECT_EQ(line.at("kind"), "times");
  PhaseTimes const spent = times_from_json(line);
  EXPECT_EQ(spent.preparing, 1.5);
  EXPECT_EQ(spent.warming_up, 0.25);
  EXPECT_EQ(spent.sampling, 8);
  EXPECT_EQ(spent.verifying, 3);
}

TEST(References, RefuseWhatIsNoResultDocument) {
  ScratchFolder const folder;
  Plan const plan = small_plan();
  std::string const right = to_line(document({full(plan.cases[0])}));
  std::string const next = std::to_string(result_schema + 1);
  for (std::string const& text :
       {std::string(), std::string("no JSON"), std::string("null"), std::string("[]"), std::string("\"results\""),
        std::string("{}"), right.substr(0, right.size() / 2), right + right, std::string("\xff\xfe\0\0", 4),
        std::string("{\"results\": []}"), "{\"schema\": " + next + ", \"results\": []}",
        "{\"schema\": " + std::to_string(result_schema) + "}"}) {
    try {
      read_references(folder.write("result.json", text));
      ADD_FAILURE() << "took " << text;
    } catch (std::runtime_error const& problem) {
      EXPECT_NE(std::string(problem.what()), "");
    }
  }
  EXPECT_THROW(read_references(folder.path("gone.json")), std::runtime_error);
}

TEST(References, OfKnownMachinesCanBeComparedWith) {
  int documents = 0;
  for (auto const& entry : std::filesystem::directory_iterator(TILESTRIDE_TEST_DIR "/../reference")) {
    std::string const file = entry.path().string();
    if (entry.path().extension() != ".json") continue;
    std::size_t passed = 0;
    std::ifstream stream(file);
    nlohmann::json const document = nlohmann::json::parse(stream);
    if (!document.contains("results")) continue;  // what tools/check_model.py wrote
    for (auto const& result : document.at("results")) passed += result.at("outcome") == "passed" ? 1 : 0;
    EXPECT_EQ(read_references(file).size(), passed) << file;
    ++documents;
  }
  EXPECT_GT(documents, 0);
}

}  // namespace
}  // namespace tilestride
