// SPDX-License-Identifier: BSD-3-Clause
#include "results/seal.hpp"

#include <gtest/gtest.h>

#include <string>

namespace tilestride {
namespace {

TEST(Canonical, SortsKeysAndHasNoWhiteSpace) {
  EXPECT_EQ(canonical(Json::parse(R"({"b": [1, {"d": 2, "c": 3}], "a": "x y"})")),
            R"({"a":"x y","b":[1,{"c":3,"d":2}]})");
}

TEST(Canonical, KeepsTheOrderOfLists) { EXPECT_EQ(canonical(Json::parse("[3, 1, 2]")), "[3,1,2]"); }

TEST(Canonical, WritesANumberInOneWay) {
  EXPECT_EQ(canonical(Json::parse("[2.0, 2, 2e0, -0.0, 1e18]")), "[2,2,2,0,1000000000000000000]");
  EXPECT_EQ(canonical(Json::parse("[0.1, 1e-1, 0.00001, 1e300]")), "[0.1,0.1,1e-05,1e+300]");
  EXPECT_EQ(canonical(Json::parse("[0.0001, 0.000123, 1e19, 2.5e-320]")), "[0.0001,0.000123,1e+19,2.5e-320]");
  double const third = 1.0 / 3;
  EXPECT_EQ(Json::parse(canonical(Json(third))).get<double>(), third);
}

TEST(Canonical, WritesTheFewestDigits) {  // nlohmann::json writes 0.0053076286000744944
  Json const number = 0.005307628600074494;
  EXPECT_EQ(canonical(number), "0.005307628600074494");
  EXPECT_EQ(canonical(number, Digits::of_nlohmann_json), number.dump());
}

TEST(Canonical, WritesWhatIsEmpty) {
  EXPECT_EQ(canonical(Json::parse(R"({"a": [], "b": {}, "c": null, "d": false})")),
            R"({"a":[],"b":{},"c":null,"d":false})");
}

TEST(Canonical, EscapesOnlyWhatMustBe) {
  EXPECT_EQ(canonical(Json::parse("\"\\u00fc\\n\\u0001\\/\"")), "\"\u00fc\\n\\u0001/\"");
}

Json small_document() {
  return Json::parse(R"({"deck": "schema = 1", "programs": {"tilestride": {"sha256": "12ab"}}, "title": "t",
                         "results": [{"name": "a", "outcome": "passed", "samples": [1.5, 2.5], "rate": 3},
                                     {"name": "b", "outcome": "FAILED"}]})");
}

/// The keys of the seal that differ from those of the small document's.
std::string changed(Json const& document) {
  std::string keys;
  Json const before = seal_of(small_document()), after = seal_of(document);
  for (auto const& [key, value] : before.items()) {
    if (after.at(key) != value) keys += key + " ";
  }
  return keys;
}

TEST(Seal, IsThatOfAnyWritingOfTheDocument) {
  Json document = Json::parse(small_document().dump(4));
  document["title"] = Json();
  document.erase("title");
  document["title"] = "t";  // now the last key
  document["seal"] = seal_of(document);
  EXPECT_EQ(changed(document), "");
}

TEST(Seal, OfAnOlderVersionHasTheDigitsOfItsLibrary) {
  Json document = small_document();
  EXPECT_EQ(seal_of(document).at("numbers"), "fewest digits");
  document["results"][0]["samples"][1] = 0.005307628600074494;
  Json const now = seal_of(document);
  document["seal"] = {{"algorithm", "sha256"}};
  Json const older = seal_of(document);
  EXPECT_FALSE(older.contains("numbers"));
  EXPECT_EQ(older.at("deck"), now.at("deck"));
  EXPECT_NE(older.at("samples"), now.at("samples"));
  EXPECT_NE(older.at("summary"), now.at("summary"));
}

TEST(Seal, TellsWhatWasChanged) {
  Json document = small_document();
  document["title"] = "u";
  EXPECT_EQ(changed(document), "summary ");
  document = small_document();
  document["deck"] = "schema = 2";
  EXPECT_EQ(changed(document), "deck summary ");
  document = small_document();
  document["results"][0]["samples"][1] = 2.25;
  EXPECT_EQ(changed(document), "samples summary ");
  document = small_document();
  document["results"].erase(1);
  EXPECT_EQ(changed(document), "samples summary ");
  document = small_document();
  document["results"][0]["rate"] = 4;
  EXPECT_EQ(changed(document), "summary ");
  document = small_document();
  document["programs"]["tilestride"]["sha256"] = "12ac";
  EXPECT_EQ(changed(document), "programs summary ");
}

}  // namespace
}  // namespace tilestride
