// SPDX-License-Identifier: BSD-3-Clause
#include "deck/deck.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdint>
#include <fstream>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "scratch_folder.hpp"

namespace tilestride {
namespace {

Deck parsed(std::string const& text) {
  std::vector<Mistake> mistakes;
  Deck deck = parse_deck(text, "test.toml", mistakes);
  EXPECT_TRUE(mistakes.empty()) << describe(mistakes, deck);
  return deck;
}

std::string const two_cases = R"(schema = 1
[run]
title = "first"
[[case]]
pattern = "transpose"
tile = [8, 16]
[[case]]
pattern = "overlap"
)";

/// The deck after one --set, which must be right.
Deck with(std::string const& assignment, std::string const& text = two_cases) {
  Deck deck = parsed(text);
  std::vector<Mistake> mistakes;
  set_in_deck(deck, assignment, mistakes);
  EXPECT_TRUE(mistakes.empty()) << describe(mistakes, deck);
  return deck;
}

/// What is said of one --set, which must be wrong.
std::string said_of(std::string const& assignment, std::string const& text = two_cases) {
  Deck deck = parsed(text);
  std::vector<Mistake> mistakes;
  set_in_deck(deck, assignment, mistakes);
  EXPECT_EQ(mistakes.size(), 1u) << assignment;
  return describe(mistakes, deck);
}

Entry const& case_entry(Deck const& deck, std::size_t index, std::string const& key) {
  Entry const* entry = deck.root.find("case")->tables.at(index).find(key);
  EXPECT_NE(entry, nullptr) << key;
  static Entry const none{};
  return entry == nullptr ? none : *entry;
}

TEST(ParseDeck, KeepsTheOrderAndThePlaceOfEverything) {
  Deck const deck =
      parsed("zeta = 1\nalpha = [\"x\",\n  2.5]\n[run]\n  seed = 3\n[[case]]\nb = { from = 1, to = 2 }\na = true\n");
  ASSERT_EQ(deck.root.entries.size(), 4u);
  EXPECT_EQ(deck.root.entries[0].key, "zeta");
  EXPECT_EQ(deck.root.entries[1].key, "alpha");
  Entry const& alpha = deck.root.entries[1];
  EXPECT_EQ(alpha.form, Entry::Form::list);
  ASSERT_EQ(alpha.values.size(), 2u);
  EXPECT_EQ(alpha.values[0].text(), "x");
  EXPECT_EQ(alpha.values[0].at.line, 2);
  EXPECT_EQ(alpha.values[0].at.column, 10);
  EXPECT_EQ(std::get<double>(alpha.values[1].value), 2.5);
  EXPECT_EQ(alpha.values[1].at.line, 3);
  EXPECT_EQ(alpha.values[1].at.column, 3);
  Entry const* run = deck.root.find("run");
  ASSERT_EQ(run->form, Entry::Form::table);
  EXPECT_EQ(run->tables[0].find("seed")->at.line, 5);
  EXPECT_EQ(run->tables[0].find("seed")->at.column, 3);
  Entry const* cases = deck.root.find("case");
  ASSERT_EQ(cases->form, Entry::Form::tables);
  ASSERT_EQ(cases->tables.size(), 1u);
  EXPECT_EQ(cases->tables[0].entries[0].key, "b");
  EXPECT_EQ(cases->tables[0].entries[0].form, Entry::Form::table);
  EXPECT_EQ(std::get<bool>(cases->tables[0].entries[1].values[0].value), true);
  EXPECT_EQ(deck.root.find("absent"), nullptr);
}

TEST(ParseDeck, ReturnsWhatItCouldReadOfABrokenDeck) {
  std::vector<Mistake> mistakes;
  Deck const deck = parse_deck("schema = 1\nbroken", "test.toml", mistakes);
  ASSERT_EQ(mistakes.size(), 1u);
  EXPECT_EQ(mistakes[0].at.line, 2);
  EXPECT_EQ(deck.file, "test.toml");
  EXPECT_EQ(deck.lines.size(), 2u);
}

TEST(ParseDeck, SurvivesDeepNestingAndJunk) {
  for (std::string const& text :
       {"a = " + std::string(100000, '['), std::string(1000, '\0'), std::string("\xef\xbb\xbf"),
        std::string("a = \"\xff\""), std::string("a.") + std::string(5000, 'b') + " = 1"}) {
    std::vector<Mistake> mistakes;
    Deck const deck = parse_deck(text, "test.toml", mistakes);
    EXPECT_FALSE(describe(mistakes, deck).empty());
  }
}

/// What is said of a text that is no deck.
std::string said_of_deck(std::string const& text) {
  std::vector<Mistake> mistakes;
  Deck const deck = parse_deck(text, "test.toml", mistakes);
  return describe(mistakes, deck);
}

std::string repeated(std::string const& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

TEST(ParseDeck, RefusesKeysThatWouldExhaustTheStack) {
  std::string const parts = repeated("a.", 20000) + "a";
  for (std::string const& text :
       {parts + " = 1", "[" + parts + "]", "[[" + parts + "]]", "x = {" + parts + " = 1}", "x = [{" + parts + " = 1}]",
        repeated("a . ", 20000) + "a = 1", repeated("\"a\".", 20000) + "a = 1",
        "x = \"\"\"a\"\"\"\"\n" + parts + " = 1", "x = 'a\n" + parts + " = 1"}) {
    std::string const said = said_of_deck(text);
    EXPECT_NE(said.find("a key with more than 16 dots has no meaning in a deck"), std::string::npos) << said;
    EXPECT_NE(said.find("1 mistake in test.toml"), std::string::npos);
  }
}

TEST(ParseDeck, RefusesListsThatWouldExhaustTheStack) {
  for (std::string const& text :
       {"a = " + repeated("[", 20) + repeated("]", 20), "a = " + repeated("{ a = ", 20) + "1" + repeated(" }", 20),
        "a = " + repeated("[", 100000)})
    EXPECT_NE(said_of_deck(text).find("lists and tables in more than 16 others"), std::string::npos);
}

TEST(ParseDeck, TakesDotsThatAreNoKey) {
  std::string const dots(100, '.');
  Deck const deck = parsed("a = \"" + dots + "\"  # " + dots + "\nb = '" + dots + "'\nc = \"\"\"\n" + dots + "\\\"\n" +
                           dots + "\"\"\"\"\"\nd = [" + repeated("0.5, ", 100) + "]\n");
  EXPECT_EQ(deck.root.find("a")->values.at(0).text(), dots);
  EXPECT_EQ(deck.root.find("b")->values.at(0).text(), dots);
  EXPECT_EQ(deck.root.find("c")->values.at(0).text(), dots + "\"\n" + dots + "\"\"");
  EXPECT_EQ(deck.root.find("d")->values.size(), 100u);
}

TEST(ParseDeck, SaysInWhichLineAHeaderHasNoName) {
  for (std::string const header : {"[[[case]]", "[=", "[[{]]", "[[", "[", "[ # x"}) {
    std::string const said =
        said_of_deck("schema = 1\na = \"\"\"\n[[\n\"\"\"\n  " + header + "\n" + repeated("b = 1\n", 40));
    EXPECT_EQ(said.rfind("test.toml:5:", 0), 0u) << said;
    EXPECT_NE(said.find("1 mistake in"), std::string::npos) << said;
    EXPECT_EQ(said.find("no TOML"), std::string::npos) << said;
  }
}

TEST(ReadDeck, ReadsFilesAndPipesAndNothingElse) {
  auto const said_of_file = [](std::string const& file) {
    std::vector<Mistake> mistakes;
    Deck const deck = read_deck(file, mistakes);
    return describe(mistakes, deck);
  };
  EXPECT_EQ(said_of_file("/dev/zero"), "/dev/zero: error: this is neither a file nor a pipe\n1 mistake in /dev/zero\n");
  EXPECT_EQ(said_of_file("/proc/self/mem"),  // a file whose first byte cannot be read
            "/proc/self/mem: error: the file cannot be read\n1 mistake in /proc/self/mem\n");
  ScratchFolder const folder;
  std::string const pipe = folder.path("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  std::thread writer([&] { std::ofstream(pipe) << two_cases; });
  std::vector<Mistake> mistakes;
  EXPECT_EQ(case_entry(read_deck(pipe, mistakes), 1, "pattern").values.at(0).text(), "overlap");
  EXPECT_TRUE(mistakes.empty());
  writer.join();
}

TEST(ReadDeck, ReadsNoMoreThanADeckCanHave) {
  ScratchFolder const folder;
  std::vector<Mistake> mistakes;
  read_deck(folder.write("large.toml", std::string((16u << 20) + 1, '#')), mistakes);
  ASSERT_EQ(mistakes.size(), 1u);
  EXPECT_EQ(mistakes[0].text, "more than 16777216 bytes are no deck");
}

TEST(SetInDeck, SetsABareKeyInEveryCase) {
  Deck const deck = with("shape=\"64x64\"");
  for (std::size_t i : {0u, 1u}) {
    Entry const& entry = case_entry(deck, i, "shape");
    EXPECT_EQ(entry.values.at(0).text(), "64x64");
    EXPECT_EQ(entry.at.origin, "--set shape=\"64x64\"");
    EXPECT_EQ(entry.values[0].at.origin, "--set shape=\"64x64\"");
  }
}

TEST(SetInDeck, TakesALoneWordWithoutQuotes) {
  EXPECT_EQ(case_entry(with("shape=64x64"), 0, "shape").values.at(0).text(), "64x64");
  EXPECT_EQ(case_entry(with("bytes=64 MiB"), 0, "bytes").values.at(0).text(), "64 MiB");
  EXPECT_EQ(case_entry(with("bytes=25 %"), 0, "bytes").values.at(0).text(), "25 %");
  EXPECT_EQ(case_entry(with("variant = copy "), 0, "variant").values.at(0).text(), "copy");
  EXPECT_EQ(with("run.title=Größe \u00a0 x").root.find("run")->tables[0].find("title")->values[0].text(),
            "Größe \u00a0 x");
  EXPECT_EQ(with("run.title=\"Größe\"").root.find("run")->tables[0].find("title")->values[0].text(), "Größe");
  EXPECT_EQ(case_entry(with("variant=true_or_not"), 0, "variant").values.at(0).text(), "true_or_not");
}

TEST(SetInDeck, TakesValuesAsADeckWritesThem) {
  EXPECT_EQ(std::get<std::int64_t>(case_entry(with("tile=32"), 0, "tile").values.at(0).value), 32);
  EXPECT_EQ(std::get<double>(case_entry(with("spread=0.01"), 0, "spread").values.at(0).value), 0.01);
  EXPECT_EQ(std::get<bool>(case_entry(with("x=true"), 0, "x").values.at(0).value), true);
  Deck const listed = with("tile=[16, 32]");
  EXPECT_EQ(case_entry(listed, 0, "tile").form, Entry::Form::list);
  EXPECT_EQ(case_entry(listed, 0, "tile").values.size(), 2u);
  Deck const range = with("streams={ from = 1, to = 8, times = 2 }");
  ASSERT_EQ(case_entry(range, 0, "streams").form, Entry::Form::table);
  EXPECT_EQ(case_entry(range, 0, "streams").tables[0].entries.size(), 3u);
}

TEST(SetInDeck, ReplacesWhatTheDeckSays) {
  Deck const deck = with("case[0].tile=32");
  Entry const& tile = case_entry(deck, 0, "tile");
  EXPECT_EQ(tile.form, Entry::Form::scalar);
  ASSERT_EQ(tile.values.size(), 1u);
  EXPECT_EQ(std::get<std::int64_t>(tile.values[0].value), 32);
  EXPECT_EQ(deck.root.find("case")->tables[1].find("tile"), nullptr);
}

TEST(SetInDeck, SetsOneCaseOnly) {
  Deck const deck = with("case[1].bytes=1 MiB");
  EXPECT_EQ(deck.root.find("case")->tables[0].find("bytes"), nullptr);
  EXPECT_EQ(case_entry(deck, 1, "bytes").values.at(0).text(), "1 MiB");
}

TEST(SetInDeck, SetsRunAndSamplingWhetherOrNotTheDeckHasThem) {
  EXPECT_EQ(with("run.title=second").root.find("run")->tables[0].find("title")->values[0].text(), "second");
  EXPECT_EQ(with("run.budget=10 min").root.find("run")->tables[0].find("budget")->values[0].text(), "10 min");
  Deck const deck = with("sampling.max_time=1 s");
  ASSERT_NE(deck.root.find("sampling"), nullptr);
  EXPECT_EQ(deck.root.find("sampling")->form, Entry::Form::table);
  EXPECT_EQ(deck.root.find("sampling")->tables[0].find("max_time")->values[0].text(), "1 s");
}

TEST(SetInDeck, KeepsEverythingAfterTheFirstEqualsSign) {
  EXPECT_EQ(with("run.title=a=b").root.find("run")->tables[0].find("title")->values[0].text(), "a=b");
}

TEST(SetInDeck, TheLastOneWins) {
  Deck deck = parsed(two_cases);
  std::vector<Mistake> mistakes;
  set_in_deck(deck, "shape=8x8", mistakes);
  set_in_deck(deck, "case[1].shape=9x9", mistakes);
  EXPECT_TRUE(mistakes.empty());
  EXPECT_EQ(case_entry(deck, 0, "shape").values[0].text(), "8x8");
  EXPECT_EQ(case_entry(deck, 1, "shape").values[0].text(), "9x9");
}

TEST(SetInDeck, RefusesWhatIsNoAssignment) {
  for (std::string const text : {"", "tile", "=8", "tile=", " = 8", "tile= "})
    EXPECT_EQ(said_of(text), "--set " + text + ": error: expected KEY=VALUE\n1 mistake in test.toml\n");
}

TEST(SetInDeck, RefusesPlacesThatDoNotExist) {
  EXPECT_EQ(
      said_of("case[2].tile=8"),
      "--set case[2].tile=8: error: the deck has 2 [[case]] blocks; they count from case[0]\n1 mistake in test.toml\n");
  std::string const where = "KEY is run.…, sampling.…, case[N].… or a bare key, which is set in every [[case]]";
  for (std::string const text :
       {"case.tile=8", "case[x].tile=8", "case[1.tile=8", "case[1]x.tile=8", "expect[0].at_least=1", "rum.seed=1"})
    EXPECT_EQ(said_of(text), "--set " + text + ": error: " + where + "\n1 mistake in test.toml\n");
  EXPECT_NE(said_of("case[-1].tile=8").find("error:"), std::string::npos);
  EXPECT_EQ(said_of("tile=8", "schema = 1\n"),
            "--set tile=8: error: the deck has no [[case]]\n1 mistake in test.toml\n");
  EXPECT_NE(said_of("run.seed=1", "run = 5\n").find("is not a table"), std::string::npos);
}

TEST(SetInDeck, RefusesABrokenListInsteadOfTakingItForAWord) {
  for (std::string const text : {"tile=[16, 32", "variant=[copy, tiled]", "streams={ from = 1", "variant=\"copy"}) {
    std::string const said = said_of(text);
    EXPECT_NE(said.find("is broken"), std::string::npos) << said;
  }
}

TEST(SetInDeck, RefusesKeysThatWouldExhaustTheStackInFewWords) {
  std::string const parts = repeated("a.", 20000) + "a";
  for (std::string const& value : {"{" + parts + " = 1}", "[{" + parts + " = 1}]", "1\n" + parts + " = 1"}) {
    Deck deck = parsed(two_cases);
    std::vector<Mistake> mistakes;
    set_in_deck(deck, "x=" + value, mistakes);
    if (value[0] == '1') {  // a lone word, though a strange one
      EXPECT_EQ(case_entry(deck, 0, "x").values.at(0).text(), value);
    } else {
      ASSERT_EQ(mistakes.size(), 1u);
      std::string const said = describe(mistakes, deck);
      EXPECT_NE(said.find("the value is broken: a key with more than 16 dots"), std::string::npos) << said;
      EXPECT_LT(said.size(), 400u);
    }
  }
}

TEST(SetInDeck, RefusesDates) { EXPECT_NE(said_of("run.title=2024-02-29").find("dates"), std::string::npos); }

TEST(ToToml, WritesWhatIsReadBackAsTheSame) {
  std::vector<std::string> const texts{
      "",     "plain",      "with \"quotes\"", "it's",         "both \" and '", "back\\slash", "tab\t", "two\nlines",
      "\r\n", "Größe 平方", "\x01\x7f",        "# no comment", "'''",           "\"\"\"",      " \n x"};
  for (std::string const& text : texts) {
    Deck const deck = parsed("value = " + to_toml(Scalar{text, {}}) + "  # comment\n");
    ASSERT_NE(deck.root.find("value"), nullptr) << text;
    EXPECT_EQ(deck.root.find("value")->values.at(0).text(), text);
  }
  for (double const number : {0.005, 5.0, 1e-6, 1e300, -0.0, 0.1 + 0.2, std::numeric_limits<double>::denorm_min()}) {
    Deck const deck = parsed("value = " + to_toml(Scalar{number, {}}));
    EXPECT_EQ(std::get<double>(deck.root.find("value")->values.at(0).value), number) << number;
  }
  for (std::int64_t const number : {std::int64_t{0}, std::int64_t{-1}, std::numeric_limits<std::int64_t>::max(),
                                    std::numeric_limits<std::int64_t>::min()}) {
    Deck const deck = parsed("value = " + to_toml(Scalar{number, {}}));
    EXPECT_EQ(std::get<std::int64_t>(deck.root.find("value")->values.at(0).value), number);
  }
  EXPECT_EQ(to_toml(Scalar{true, {}}), "true");
  EXPECT_EQ(to_toml(Scalar{false, {}}), "false");
}

TEST(Nearest, NamesTheCloseOneOrAll) {
  std::vector<std::string> const names{"copy", "tiled", "padded", "kokkos_instances"};
  EXPECT_EQ(nearest("paded", names), ", did you mean \"padded\"?");
  EXPECT_EQ(nearest("tield", names), ", did you mean \"tiled\"?");  // a swap of neighbours is one slip
  EXPECT_EQ(nearest("PADDED", names), ", did you mean \"padded\"?");
  EXPECT_EQ(nearest("kokkos-instance", names), ", did you mean \"kokkos_instances\"?");
  EXPECT_EQ(nearest("blocked", names), "; one of: copy, tiled, padded, kokkos_instances");
  EXPECT_EQ(nearest("", names), "; one of: copy, tiled, padded, kokkos_instances");
  EXPECT_EQ(nearest(std::string(100000, 'x'), names), "; one of: copy, tiled, padded, kokkos_instances");
}

TEST(Describe, GoesByTheOrderOfTheFileAndKeepsOriginsFirst) {
  Deck const deck = parsed("a = 1\nb = 2\n");
  std::vector<Mistake> const mistakes{{{2, 5, ""}, "b", "second"},
                                      {{1, 5, ""}, "a", "first"},
                                      {{0, 0, "--set c=1"}, "c", "of the command"},
                                      {{}, "", "of the whole"}};
  EXPECT_EQ(describe(mistakes, deck),
            "--set c=1: error: c: of the command\n"
            "test.toml: error: of the whole\n"
            "test.toml:1:5: error: a: first\n    a = 1\n        ^\n"
            "test.toml:2:5: error: b: second\n    b = 2\n        ^\n"
            "4 mistakes in test.toml\n");
}

TEST(Describe, ShowsFiftyAndCountsTheRest) {
  Deck const deck = parsed("a = 1\n");
  std::string const said = describe(std::vector<Mistake>(1000, Mistake{{1, 1, ""}, "a", "again"}), deck);
  EXPECT_NE(said.find("... and 950 more\n1000 mistakes in test.toml\n"), std::string::npos);
  EXPECT_LT(said.size(), 5000u);
}

TEST(Describe, LetsNothingSteerTheTerminal) {
  Deck deck = parsed("a = 1\n");
  deck.file = "\x1b[2J\xff.toml";
  std::string const said =
      describe({{{1, 1, ""}, "a", "\x1b[31m \xc2\x9b red \xff"}, {{0, 0, "--set a=\x1b]0;\n"}, "", "x"}}, deck);
  EXPECT_EQ(said.find('\x1b'), std::string::npos);
  EXPECT_EQ(said.find("\xc2\x9b"), std::string::npos);
  EXPECT_EQ(said.find('\xff'), std::string::npos);
}

TEST(Describe, SurvivesPlacesBeyondTheFile) {
  Deck const deck = parsed("a = 1\n");
  EXPECT_EQ(describe({{{7, 3, ""}, "", "x"}, {{1, 900, ""}, "", "y"}}, deck).substr(0, 22), "test.toml:1:900: error");
}

}  // namespace
}  // namespace tilestride
