// SPDX-License-Identifier: BSD-3-Clause
#include "report/check.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "report/document.hpp"
#include "report/ending.hpp"
#include "report/made_up.hpp"

namespace tilestride {
namespace {

/// A document of these results, as it is read back, without a seal: the tests edit it.
Json document_of(Plan const& plan, std::vector<Result> const& results) {
  RunRecord record;
  record.header = {{"started", "now"},
                   {"only", ""},
                   {"kokkos_flags", Json::array()},
                   {"host", "h"},
                   {"unseen", Json::object()},
                   {"tools", Json::array()},
                   {"memory_card", ""}};
  record.deck = plan.resolved;
  std::vector<Verdict> const verdicts = judge(plan, results);
  std::string const status = status_line("PASS", tally(results), tally(verdicts));
  Json document =
      Json::parse(to_line(tilestride::document(plan, record, results, verdicts, status, Redaction(false, {}))));
  document.erase("seal");
  return document;
}

std::string differences(Json const& document) {
  std::string text;
  for (std::string const& sentence : check_document(document, made_up_catalogue()).differences) text += sentence + "\n";
  return text;
}

std::string const three_figures =
    "[[case]]\npattern = \"transpose\"\nvariant = [\"copy\", \"row_read\"]\nshape = \"64x64\"\n"
    "[[case]]\npattern = \"matmul\"\nvariant = \"simple\"\n"
    "[[case]]\npattern = \"chase\"\nvariant = \"portable\"\n"
    "[[expect]]\npattern = \"transpose\"\nvariant = \"row_read\"\nof = { variant = \"copy\" }\nat_least = 0.4\n";

Json sound_document() {
  Plan const plan = made_up_plan(three_figures);
  std::vector<Result> results;
  for (Case const& c : plan.cases) results.push_back(passed(c, {1, 2, 3, 4, 5, 6, 7}));
  results[1].yardsticks["copy"] = {2e9, 4e9};
  results[1].ceilings.copy = 3e9;
  results[1].model = {2, "copy"};
  return document_of(plan, results);
}

TEST(CheckDocument, FindsNothingInASoundOne) {
  Findings const found = check_document(sound_document(), made_up_catalogue());
  EXPECT_EQ(differences(sound_document()), "");
  ASSERT_EQ(found.remarks.size(), 1u);
  EXPECT_NE(found.remarks[0].find("no seal"), std::string::npos) << found.remarks[0];
}

TEST(CheckDocument, DoesWithoutTheFilesThatRulesCompareWith) {
  Json document = sound_document();
  std::string const rule = "pattern = \"transpose\", of = \"other.json\", at_least = 0.5";
  document["deck"] = document["deck"].get<std::string>() +
                     "\n[[expect]]\npattern = \"transpose\"\nof = \"other.json\"\nat_least = 0.5\n";
  Json const verdict{{"rule", rule}, {"judgement", "NOT MET"}};
  document["rules"].insert(document["rules"].begin(), verdict);
  document["status"] = status_line("FAIL", {4, 0, 0, 0, 0}, {0, 1, 1});
  EXPECT_EQ(differences(document), "");
  Findings const found = check_document(document, made_up_catalogue());
  ASSERT_EQ(found.remarks.size(), 2u);
  EXPECT_EQ(found.remarks[0], "rules[0] was not judged again: it compares with a file");
}

TEST(CheckDocument, KnowsWhatEachFigureCounts) {
  for (std::size_t const i : {0u, 2u, 3u}) {  // bytes, flops, operations
    Json document = sound_document();
    document["results"][i]["rate"] = 1;
    std::string const name = document["results"][i]["name"];
    EXPECT_EQ(differences(document), name + ": rate is 1 in the file, 2.5e+08 by its samples\n");
  }
}

TEST(CheckDocument, TellsTheFieldAndBothNumbers) {
  Json document = sound_document();
  document["results"][1]["ceilings"]["copy"] = 3.5e9;
  document["results"][1]["time"]["mad"] = 2.0000001;
  std::string const name = document["results"][1]["name"];
  EXPECT_EQ(differences(document), name + ": time.mad is 2.0000001 in the file, 2 by its samples\n" + name +
                                       ": ceilings.copy is 3.5e+09 in the file, 3e+09 by its yardstick\n");
}

TEST(CheckDocument, TakesTheRoundingOfAnotherCompiler) {
  Json document = sound_document();
  document["results"][1]["time"]["mad"] = 2.0000000000000004;
  EXPECT_EQ(differences(document), "");
}

TEST(CheckDocument, LetsASignalBeTheEnd) {
  Json document = sound_document();
  std::string status = document["status"];
  document["status"] = status.replace(status.find("PASS"), 4, "INTERRUPTED");
  EXPECT_EQ(differences(document), "");
}

}  // namespace
}  // namespace tilestride
