// SPDX-License-Identifier: BSD-3-Clause

// Every wrong deck in tests/decks has, in a .txt beside it, what must be said of it. After a change that is meant:
//   TILESTRIDE_UPDATE_GOLDEN=1 ctest -R Mistakes
// writes the texts anew; read them before they are committed.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "deck/deck.hpp"
#include "plan/plan.hpp"
#include "small_catalogue.hpp"

namespace tilestride {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> wrong_decks() {
  std::vector<std::string> stems;
  for (auto const& entry : fs::directory_iterator(TILESTRIDE_TEST_DIR "/decks")) {
    if (entry.path().extension() == ".toml") stems.push_back(entry.path().stem().string());
  }
  std::sort(stems.begin(), stems.end());
  return stems;
}

std::string text_of(fs::path const& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// What the program says of a deck; the deck is named relative to tests/, as a user in that folder would.
std::string said_of(std::string const& deck_file) {
  fs::path const before = fs::current_path();
  fs::current_path(TILESTRIDE_TEST_DIR);
  std::vector<Mistake> mistakes;
  Deck const deck = read_deck(deck_file, mistakes);
  make_plan(deck, small_catalogue(), small_build(), "", mistakes);
  fs::current_path(before);
  return mistakes.empty() ? "no mistake was found\n" : describe(mistakes, deck);
}

class Mistakes : public testing::TestWithParam<std::string> {};

TEST_P(Mistakes, AreDescribedAsInTheTextBesideTheDeck) {
  std::string const said = said_of("decks/" + GetParam() + ".toml");
  fs::path const golden = fs::path(TILESTRIDE_TEST_DIR) / "decks" / (GetParam() + ".txt");
  if (std::getenv("TILESTRIDE_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(golden, std::ios::binary) << said;
    GTEST_SKIP() << golden << " was written anew";
  }
  EXPECT_EQ(said, text_of(golden));
}

INSTANTIATE_TEST_SUITE_P(Decks, Mistakes, testing::ValuesIn(wrong_decks()),
                         [](auto const& deck) { return deck.param; });

TEST(MistakesOfFiles, AMissingDeckIsSaidToBeMissingAndNothingElse) {
  EXPECT_EQ(said_of("decks/no_such_deck.toml"),
            "decks/no_such_deck.toml: error: there is no such file\n1 mistake in decks/no_such_deck.toml\n");
}

TEST(MistakesOfFiles, ADirectoryIsNoDeck) {
  EXPECT_EQ(said_of("decks"), "decks: error: this is a directory, not a deck\n1 mistake in decks\n");
}

}  // namespace
}  // namespace tilestride
